/** Which pages can be shared with agents: web pages, but not the hub's own, where the user decides. */

/** Web pages and files that they made (a PDF in its viewer); not the browser's own pages. @param {string} url */
export function canBeShared(url) {
  return /^(blob:)?https?:/.test(url) || url === 'about:blank';
}

/** Also for what such a page made (blob:). @param {string} address @param {string} server the hub's host and port */
export function isHubPage(address, server) {
  const url = address.replace(/^blob:/, '');
  if (!URL.canParse(url) || !URL.canParse(`http://${server}`)) return false;
  const [page, hub] = [new URL(url), new URL(`http://${server}`)];
  const sameHost = page.hostname === hub.hostname || (isLoopback(page.hostname) && isLoopback(hub.hostname));
  return page.protocol === 'http:' && sameHost && page.port === hub.port;
}

/** @param {string} host */
function isLoopback(host) {
  return /^127(\.\d+){3}$|^\[::1\]$|^\[::ffff:7f|^localhost$|\.localhost$/.test(host) || host === '0.0.0.0';
}
