/** Messages from the extension's pages to the hub, the service worker and the offscreen document, and the tab that a page is about. */

/** @typedef {import('../lib/connection_status.js').ConnectionStatus} ConnectionStatus */
/** @typedef {import('../lib/connection_status.js').HubState} HubState */
/** @typedef {{ tab: { id?: number, kind: string, since: number } | null, hub: HubState, wholeWindow?: boolean }} TabStatus */

/** Sends a request of the user to the hub. Rejects with a sentence for the user. @param {string} name @param {Record<string, unknown>} params @returns {Promise<any>} */
export async function requestHub(name, params = {}) {
  const response = await chrome.runtime.sendMessage({ to: 'offscreen', type: 'hub_request', name, params });
  if (response?.error !== undefined) throw new Error(response.error);
  return response?.result;
}

/** @param {string} type @param {Record<string, unknown>} more @returns {Promise<TabStatus>} */
export function requestWorker(type, more = {}) {
  return chrome.runtime.sendMessage({ to: 'service_worker', type, ...more });
}

/** @returns {Promise<ConnectionStatus & { name: string } | undefined>} */
export function connectionStatus() {
  return chrome.runtime.sendMessage({ to: 'offscreen', type: 'status' });
}

/** @returns {Promise<unknown>} */
export function retryConnection() {
  return chrome.runtime.sendMessage({ to: 'offscreen', type: 'retry' });
}

/** @param {string} code @param {string} server @returns {Promise<{ paired: boolean, problem?: string } | undefined>} */
export function pair(code, server) {
  return chrome.runtime.sendMessage({ to: 'offscreen', type: 'pair', code, server });
}

/** The tab that a page is about: the active one, or in tests the one in the page's URL. */
export async function currentTab() {
  const id = new URLSearchParams(location.search).get('tab');
  if (id) return chrome.tabs.get(Number(id)).catch(() => undefined);
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab;
}
