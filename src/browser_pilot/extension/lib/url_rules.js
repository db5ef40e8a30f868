/** Which pages agents may have: those of the web, but not the hub's own, where the user answers. */

/** Pages of the web, and files that they made (a PDF in its viewer); not the browser's own. @param {string} url */
export function canBeShared(url) {
  return /^(blob:)?https?:/.test(url) || url === 'about:blank';
}

/** What such a page made (blob:) is the hub's as well. @param {string} address @param {string} server the hub's address and port */
export function isHubsPage(address, server) {
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
