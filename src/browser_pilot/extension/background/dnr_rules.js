/**
 * The network policy in this browser: session rules of declarativeNetRequest, while there are controlled tabs. The hub writes the policy's
 * rules; `rule_scope.js` decides whose requests they cover.
 */

import { RuleScope, USER_TABS_RULE, USER_WORKERS_RULE } from './rule_scope.js';

const KEY = 'dnrRules';
/** What Chrome has while no tab is controlled. @type {chrome.declarativeNetRequest.Rule[]} */
const NONE = [];

/** @typedef {chrome.declarativeNetRequest.Rule} Rule */
/** @typedef {import('./controlled_tabs.js').Storage} Storage */

export class DnrRules {
  /** @param {Storage} storage */
  constructor(storage) {
    this.storage = storage;
    this.scope = new RuleScope();
    /** @type {Rule[]} */
    this.rules = [];
    /** The rules that Chrome has now; unknown when the worker starts. @type {Rule[] | undefined} */
    this.installed = undefined;
    /** @type {Promise<void>} */
    this.applying = Promise.resolve();
  }

  /** Reads the stored rules, and which tabs are whose. @param {(id: number) => boolean} isControlled */
  async load(isControlled) {
    this.rules = /** @type {Rule[]} */ ((await this.storage.get(KEY))[KEY] ?? []);
    for (const { id, url = '' } of await chrome.tabs.query({})) {
      if (id === undefined) continue;
      if (isControlled(id)) this.scope.setControlled(id, await frameUrls(id));
      else this.scope.setUserTab(id, url);
    }
    void this.apply();
  }

  /** @param {Rule[]} rules */
  async setRules(rules) {
    this.rules = rules;
    await this.storage.set({ [KEY]: rules });
    await this.apply();
  }

  /** Follows the list of controlled tabs: a tab that is not on it any more is the user's. @param {number[]} ids */
  setTabs(ids) {
    for (const id of [...this.scope.controlled.keys()].filter((id) => !ids.includes(id))) this.scope.setUserTab(id, '');
    for (const id of ids.filter((id) => !this.scope.controlled.has(id))) void this.cover(id);
    void this.apply();
  }

  /** Covers a tab; resolves when the rules hold there. @param {number} id */
  async cover(id) {
    this.scope.setControlled(id, []);
    const urls = await frameUrls(id);
    // Not if it was released meanwhile.
    if (this.scope.controlled.has(id)) this.scope.setControlled(id, urls);
    await this.apply();
  }

  /** A frame of a tab loads a page. @param {number} id @param {string} url */
  async addHost(id, url) {
    if (this.scope.controlled.has(id) && this.scope.setControlled(id, [url])) await this.apply();
  }

  /** Exempts a tab of the user; resolves when the exemption holds. @param {number} id @param {string} url */
  async exempt(id, url) {
    if (this.scope.setUserTab(id, url)) void this.apply();
    await this.applying;
  }

  /** @param {number} id */
  async remove(id) {
    if (this.scope.remove(id)) await this.apply();
  }

  /** Updates run one after the other, so that the last one wins. */
  apply() {
    this.applying = this.applying.catch(() => {}).then(async () => {
      const rules = this.scope.controlled.size > 0 ? this.rules : NONE;
      const exemptions = rules === NONE ? [] : this.scope.exemptions(chrome.runtime.id);
      if (this.installed === rules) {
        if (rules !== NONE) await replace([USER_TABS_RULE, USER_WORKERS_RULE], exemptions);
        return;
      }
      const old = await chrome.declarativeNetRequest.getSessionRules();
      await replace(old.map((rule) => rule.id), [...rules, ...exemptions]);
      this.installed = rules;
    });
    return this.applying;
  }
}

/** @param {number[]} removeRuleIds @param {Rule[]} addRules */
function replace(removeRuleIds, addRules) {
  return chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds, addRules });
}

/** @param {number} tabId */
async function frameUrls(tabId) {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId }).catch(() => null)) ?? [];
  return frames.map((frame) => frame.url);
}
