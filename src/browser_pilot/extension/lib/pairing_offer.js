/**
 * Whether the extension accepts the offer of a page to pair. Pure.
 *
 * Every page on loopback can send one, also that of another user or of a container. So only the page of the configured hub counts,
 * and only while this browser is not paired: an offer never replaces a pairing.
 */

/** Why an offer is refused; empty: accepted. @typedef {'' | 'paired' | 'other_server'} Refusal */

/** Any other message of a page gets no response. @param {{ pair?: unknown } | undefined} message @param {string} origin */
export function isOffer(message, origin) {
  return typeof message?.pair === 'string' && /^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}$/.test(origin);
}

/** @param {string} origin @param {{ server: string, browser: string }} settings @returns {Refusal} */
export function refusalOf(origin, { server, browser }) {
  if (browser) return 'paired';
  return sameHost(origin.slice('http://'.length), server) ? '' : 'other_server';
}

/** @param {string} host @param {string} server */
function sameHost(host, server) {
  return host.replace(/^localhost:/, '127.0.0.1:') === server.trim().toLowerCase().replace(/^localhost:/, '127.0.0.1:');
}
