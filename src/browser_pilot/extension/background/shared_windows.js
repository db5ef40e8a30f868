/**
 * Windows that the user shares as a whole, if the setting allows it: all their tabs, including later ones. The list is kept in session
 * storage: it survives the service worker and ends with the browser.
 */

const KEY = 'sharedWindows';

export class SharedWindows {
  /** @param {import('./controlled_tabs.js').Storage} storage @param {(tabId: number) => Promise<boolean>} shareTab */
  constructor(storage, shareTab) {
    this.storage = storage;
    this.shareTab = shareTab;
    /** @type {Set<number>} */
    this.ids = new Set();
  }

  async load() {
    this.ids = new Set(/** @type {number[]} */ ((await this.storage.get(KEY))[KEY] ?? []));
  }

  /** Shares the window of a tab. @param {number} tabId */
  async share(tabId) {
    const { windowId } = await chrome.tabs.get(tabId);
    this.ids.add(windowId);
    await this.save();
    for (const tab of await chrome.tabs.query({ windowId })) if (tab.id !== undefined) await this.shareTab(tab.id);
  }

  /** Stops sharing the window of a tab; resolves with the tabs that were shared with it. @param {number} tabId @returns {Promise<number[]>} */
  async unshare(tabId) {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (!tab || !this.ids.delete(tab.windowId)) return [];
    await this.save();
    return (await chrome.tabs.query({ windowId: tab.windowId })).flatMap((tab) => tab.id ?? []);
  }

  /** Shares a tab of a shared window after a navigation: its new page may be one that can be shared. @param {number} tabId */
  async onNavigated(tabId) {
    if (this.ids.size === 0) return;
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (tab && this.ids.has(tab.windowId)) await this.shareTab(tabId);
  }

  /** Stops sharing every window. */
  async clear() {
    this.ids.clear();
    await this.save();
  }

  save() {
    return this.storage.set({ [KEY]: [...this.ids] });
  }
}
