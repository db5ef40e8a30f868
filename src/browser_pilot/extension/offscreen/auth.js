/**
 * How this browser and the hub prove to each other that they share a key, without either showing it.
 *
 * The same is written in Python in bridge/proofs.py; a test holds them together. Pure: no chrome.*, no network.
 */

const encoder = new TextEncoder();
const ROUNDS = 200_000;
const KEY_BITS = 256;

/** @typedef {'hub' | 'browser'} Side */
/** @typedef {{ browser: string, browserNonce: string, hubNonce: string }} Exchange */

/** @returns {string} */
export function freshNonce() {
  return toText(crypto.getRandomValues(new Uint8Array(24)));
}

/**
 * What one side shows the other: it depends on who shows it and on what both sides threw in this time.
 * @param {string} key @param {Side} side @param {Exchange} exchange @returns {Promise<string>}
 */
export async function proofOf(key, side, exchange) {
  const secret = await crypto.subtle.importKey('raw', fromText(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const words = ['browser-pilot/1', side, exchange.browser, exchange.browserNonce, exchange.hubNonce].join('\n');
  return toText(new Uint8Array(await crypto.subtle.sign('HMAC', secret, encoder.encode(words))));
}

/**
 * The key that a pairing code stands for in one exchange. Slow on purpose: a code is short.
 * @param {string} code @param {Exchange} exchange @returns {Promise<string>}
 */
export async function keyFromCode(code, exchange) {
  const material = await crypto.subtle.importKey('raw', encoder.encode(plainCode(code)), 'PBKDF2', false, ['deriveBits']);
  const salt = encoder.encode(`${exchange.browserNonce}\n${exchange.hubNonce}`);
  const bits = await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ROUNDS }, material, KEY_BITS);
  return toText(new Uint8Array(bits));
}

/** A code as it is meant, however it was typed. @param {string} typed @returns {string} */
export function plainCode(typed) {
  return typed.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1').replaceAll(/[^0-9A-Z]/g, '');
}

/** In a time that does not tell how much of it was right. @param {string} a @param {string} b @returns {boolean} */
export function sameProof(a, b) {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** @param {Uint8Array} bytes @returns {string} */
function toText(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function fromText(text) {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}
