/** What the extension's pages have in common: their look, and the ways to the hub and to the worker. */

/** The look that the user chose, now and whenever it changes. */
export async function followTheme() {
  const stored = await chrome.storage.local.get({ theme: 'system' });
  document.documentElement.dataset.theme = String(stored.theme);
  chrome.storage.local.onChanged.addListener((changes) => {
    if (changes.theme) document.documentElement.dataset.theme = String(changes.theme.newValue ?? 'system');
  });
}

/** Ask the hub something in the user's name. Throws with a sentence for the user. @param {string} name @param {Record<string, unknown>} params @returns {Promise<any>} */
export async function askHub(name, params = {}) {
  const told = await chrome.runtime.sendMessage({ to: 'link', ask: 'hub', name, params });
  if (told?.error !== undefined) throw new Error(told.error);
  return told?.result;
}

/** @param {string} ask @param {Record<string, unknown>} more @returns {Promise<any>} */
export function askWorker(ask, more = {}) {
  return chrome.runtime.sendMessage({ to: 'worker', ask, ...more });
}

/** @returns {Promise<import('./popup_view.js').LinkStatus & { name: string } | undefined>} */
export function linkStatus() {
  return chrome.runtime.sendMessage({ to: 'link', ask: 'status' });
}

/** The tab that a page of ours is about: the one in front, or in tests the one that the address names. */
export async function currentTab() {
  const named = new URLSearchParams(location.search).get('tab');
  if (named) return chrome.tabs.get(Number(named)).catch(() => undefined);
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab;
}
