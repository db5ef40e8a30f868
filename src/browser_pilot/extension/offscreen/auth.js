/**
 * Mutual authentication: this browser and the hub prove to each other that they share a key, without sending it.
 *
 * The same protocol is in Python in extension_bridge/mutual_auth.py; a test compares both. Pure: no chrome.*, no network.
 */

import { keyFromPassword } from '../lib/key_material.js';

const encoder = new TextEncoder();
const PBKDF2_ITERATIONS = 200_000;

/** @typedef {'hub' | 'browser'} Side */
/** @typedef {{ browser: string, browserNonce: string, hubNonce: string }} Handshake */

/** @returns {string} */
export function createNonce() {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
}

/**
 * The proof that one side sends: an HMAC over the side and both nonces, so that it cannot be replayed or reflected.
 * @param {CryptoKey} key @param {Side} side @param {Handshake} handshake @returns {Promise<string>}
 */
export async function proofOf(key, side, handshake) {
  const message = ['browser-pilot/1', side, handshake.browser, handshake.browserNonce, handshake.hubNonce].join('\n');
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(message))));
}

/**
 * Derives the key from a pairing code, for one handshake. Slow on purpose, because a code is short.
 * @param {string} code @param {Handshake} handshake @returns {Promise<CryptoKey>}
 */
export function deriveKey(code, handshake) {
  const salt = encoder.encode(`${handshake.browserNonce}\n${handshake.hubNonce}`);
  return keyFromPassword(normalizeCode(code), salt, PBKDF2_ITERATIONS);
}

/** Accepts a code in any spelling: case, separators, and letters that look like digits. @param {string} typed @returns {string} */
export function normalizeCode(typed) {
  return typed.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1').replaceAll(/[^0-9A-Z]/g, '');
}

/** In constant time. @param {string} a @param {string} b @returns {boolean} */
export function proofsEqual(a, b) {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** @param {Uint8Array} bytes @returns {string} */
function toBase64Url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
