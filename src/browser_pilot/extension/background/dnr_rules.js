/**
 * The network policy for controlled tabs: session rules of declarativeNetRequest. The hub writes them without tab ids; these are added
 * here and updated with the list of controlled tabs.
 */

const KEY = 'dnrRules';

/** @typedef {chrome.declarativeNetRequest.Rule} Rule */
/** @typedef {import('./controlled_tabs.js').Storage} Storage */

export class DnrRules {
  /** @param {Storage} storage */
  constructor(storage) {
    this.storage = storage;
    /** @type {Rule[]} */
    this.rules = [];
    /** @type {number[]} */
    this.tabIds = [];
    /** @type {Promise<void>} */
    this.applying = Promise.resolve();
  }

  async load() {
    this.rules = /** @type {Rule[]} */ ((await this.storage.get(KEY))[KEY] ?? []);
  }

  /** @param {Rule[]} rules */
  async setRules(rules) {
    this.rules = rules;
    await this.storage.set({ [KEY]: rules });
    await this.apply();
  }

  /** @param {number[]} tabIds */
  setTabs(tabIds) {
    this.tabIds = tabIds;
    void this.apply();
  }

  /** Updates run one after the other, so that the last one wins. */
  apply() {
    this.applying = this.applying.catch(() => {}).then(async () => {
      const old = await chrome.declarativeNetRequest.getSessionRules();
      const tabIds = this.tabIds;
      const addRules = tabIds.length === 0 ? [] : this.rules.map((rule) => ({ ...rule, condition: { ...rule.condition, tabIds } }));
      await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: old.map((rule) => rule.id), addRules });
    });
    return this.applying;
  }
}
