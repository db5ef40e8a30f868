/**
 * The policy on the network, for driven tabs alone: session rules of declarativeNetRequest that the hub writes without saying for
 * which tabs; that is filled in here, and kept true as tabs come and go.
 */

const KEY = 'netRules';

/** @typedef {chrome.declarativeNetRequest.Rule} Rule */
/** @typedef {import('./driven_tabs.js').Storage} Storage */

export class NetRules {
  /** @param {Storage} storage */
  constructor(storage) {
    this.storage = storage;
    /** @type {Rule[]} */
    this.rules = [];
    /** @type {number[]} */
    this.tabs = [];
    /** @type {Promise<void>} */
    this.writing = Promise.resolve();
  }

  async load() {
    this.rules = /** @type {Rule[]} */ ((await this.storage.get(KEY))[KEY] ?? []);
  }

  /** @param {Rule[]} rules */
  async replace(rules) {
    this.rules = rules;
    await this.storage.set({ [KEY]: rules });
    await this.write();
  }

  /** @param {number[]} tabs */
  coverOnly(tabs) {
    this.tabs = tabs;
    void this.write();
  }

  /** One write after the other, so that the last one stands. */
  write() {
    this.writing = this.writing.catch(() => {}).then(async () => {
      const old = await chrome.declarativeNetRequest.getSessionRules();
      const tabIds = this.tabs;
      const addRules = tabIds.length === 0 ? [] : this.rules.map((rule) => ({ ...rule, condition: { ...rule.condition, tabIds } }));
      await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: old.map((rule) => rule.id), addRules });
    });
    return this.writing;
  }
}
