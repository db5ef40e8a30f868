/** Pairing keys as WebCrypto keys that cannot be exported. Pure: no chrome.*, no network. */

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const KEY_BITS = 256;

/** @param {string} text a key in base64url @returns {Promise<CryptoKey>} */
export function importKey(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  return crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']);
}

/** @param {string} password @param {Uint8Array<ArrayBuffer>} salt @param {number} iterations @returns {Promise<CryptoKey>} */
export async function keyFromPassword(password, salt, iterations) {
  const material = await crypto.subtle.importKey('raw', new TextEncoder().encode(password), 'PBKDF2', false, ['deriveKey']);
  return crypto.subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, material, { ...HMAC, length: KEY_BITS }, false, ['sign']);
}
