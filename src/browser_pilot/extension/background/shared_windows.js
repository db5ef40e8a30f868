/**
 * Windows that the user shares as a whole, where the setting allows it: every tab in them, also those that come later. The list
 * survives the death of the service worker and ends with the browser.
 */

const KEY = 'windows';

export class SharedWindows {
  /** @param {import('./driven_tabs.js').Storage} storage @param {(tabId: number) => Promise<boolean>} share */
  constructor(storage, share) {
    this.storage = storage;
    this.share = share;
    /** @type {Set<number>} */
    this.ids = new Set();
  }

  async load() {
    this.ids = new Set(/** @type {number[]} */ ((await this.storage.get(KEY))[KEY] ?? []));
  }

  /** Share the window that a tab is in. @param {number} tabId */
  async open(tabId) {
    const { windowId } = await chrome.tabs.get(tabId);
    this.ids.add(windowId);
    await this.keep();
    for (const tab of await chrome.tabs.query({ windowId })) if (tab.id !== undefined) await this.share(tab.id);
  }

  /** Share it no longer; tells the tabs that were shared with it. @param {number} tabId @returns {Promise<number[]>} */
  async close(tabId) {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (!tab || !this.ids.delete(tab.windowId)) return [];
    await this.keep();
    return (await chrome.tabs.query({ windowId: tab.windowId })).flatMap((tab) => tab.id ?? []);
  }

  /** A tab shows another page now: it may be one to share. @param {number} tabId */
  async noteTab(tabId) {
    if (this.ids.size === 0) return;
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (tab && this.ids.has(tab.windowId)) await this.share(tabId);
  }

  keep() {
    return this.storage.set({ [KEY]: [...this.ids] });
  }
}
