/**
 * Where the pairing key is kept: in IndexedDB, as a key that no script can export, not even one of this extension.
 *
 * The service worker and the offscreen document share the database. Lives as long as the pairing.
 */

import { importKey } from './key_material.js';

const DATABASE = 'pairing';
const STORE = 'keys';

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @template T @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<T>} run @returns {Promise<T>} resolves when it is on the disk */
async function inStore(mode, run) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await resultOf(opening);
  try {
    const transaction = database.transaction(STORE, mode, { durability: 'strict' });
    const completed = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const result = await resultOf(run(transaction.objectStore(STORE)));
    await completed;
    return result;
  } finally {
    database.close();
  }
}

/** @param {string} browser the id of the pairing @returns {Promise<CryptoKey | null>} */
export async function loadPairingKey(browser) {
  const key = await inStore('readonly', (store) => store.get(browser));
  return key instanceof CryptoKey ? key : null;
}

/** Replaces the key of any earlier pairing. @param {string} browser @param {CryptoKey} key */
export async function savePairingKey(browser, key) {
  await removePairingKeys();
  await inStore('readwrite', (store) => store.put(key, browser));
}

export async function removePairingKeys() {
  await inStore('readwrite', (store) => store.clear());
}

/** Earlier versions kept the key as text, next to the settings. @param {chrome.storage.StorageArea} storage */
export async function migratePairingKey(storage) {
  const { browser, key } = /** @type {{ browser: string, key: string }} */ (await storage.get({ browser: '', key: '' }));
  if (!key) return;
  if (browser) await savePairingKey(browser, await importKey(key));
  await storage.remove('key');
}
