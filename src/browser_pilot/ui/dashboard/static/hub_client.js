/** The dashboard's connection to the hub: requests of the user, and events that make the page refresh. */

const KEY = 'browser-pilot-key';
const RETRY_MS = 1_000;

/** The login session has ended, or there was none. */
export class SignedOut extends Error {}

/** @param {string} key */
export function saveKey(key) {
  localStorage.setItem(KEY, key);
}

/** @param {string} path @param {Record<string, unknown>} [params] */
async function post(path, params = {}) {
  const headers = { 'Content-Type': 'application/json', 'X-Browser-Pilot-Key': localStorage.getItem(KEY) ?? '' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(params) });
  if (response.status === 401) throw new SignedOut();
  return response;
}

/** Sends a request of the user to the hub. Rejects with a sentence for the user. @param {string} name @param {Record<string, unknown>} [params] @returns {Promise<any>} */
export async function request(name, params) {
  const response = await post(`/dashboard/request/${name}`, params);
  const result = await response.json();
  if (!response.ok) throw new Error([result.message, ...result.suggestions].join(' '));
  return result;
}

export async function signOut() {
  await post('/dashboard/logout');
  localStorage.removeItem(KEY);
}

/**
 * Calls back when an approval request arrives or is decided. While a page listens, its user counts as present for approvals. One page
 * listens for all of them, because a browser limits its connections per host.
 * @param {() => void} changed
 */
export function listenForChanges(changed) {
  void (navigator.locks ? navigator.locks.request('browser-pilot events', () => listen(changed)) : listen(changed));
}

/** @param {() => void} changed */
async function listen(changed) {
  for (;;) {
    try {
      const { body } = await post('/dashboard/events');
      const lines = body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let read = await lines?.read(); read && !read.done; read = await lines?.read()) {
        if (read.value.includes('changed')) changed();
      }
    } catch (error) {
      if (error instanceof SignedOut) return;
    }
    changed();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
