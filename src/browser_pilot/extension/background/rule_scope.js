/**
 * Whose requests the network policy covers. Pure.
 *
 * The policy's rules name no tab: they cover the first request of a new tab, which comes before the extension learns of the tab, and
 * requests of shared and service workers, which belong to no tab. Exemptions take out what is the user's: the tabs that are known to be
 * theirs, and the workers of sites that only they have open. A worker's origin may be opaque, and Chrome cannot exempt all origins but
 * those; so the exemption lists the user's sites. A site that is open in a controlled tab too is not exempt.
 */

/** @typedef {chrome.declarativeNetRequest.Rule} Rule */

export const USER_TABS_RULE = 1_000_001;
export const USER_WORKERS_RULE = 1_000_002;
const EXEMPTION_PRIORITY = 1_000_000;
const NO_TAB = -1;
/** A page could add hosts without end; beyond this number no site is exempt. */
const MAX_HOSTS = 2_000;
/** Chrome rejects an update with a host that it cannot parse. */
const HOST = /^[a-z0-9.-]+$/;
const RESOURCE_TYPES = /** @type {chrome.declarativeNetRequest.ResourceType[]} */ ([
  'main_frame', 'sub_frame', 'stylesheet', 'script', 'image', 'font', 'object', 'xmlhttprequest', 'ping', 'csp_report', 'media', 'websocket',
  'webtransport', 'webbundle', 'other',
]);

export class RuleScope {
  constructor() {
    /** The user's own tabs, with the host of each. @type {Map<number, string>} */
    this.userTabs = new Map();
    /** Controlled tabs, with the hosts of all frames that were in them. @type {Map<number, Set<string>>} */
    this.controlled = new Map();
  }

  /** A tab is the user's. @param {number} id @param {string} url of its page @returns {boolean} whether this is new */
  setUserTab(id, url) {
    const host = hostOf(url);
    if (this.userTabs.get(id) === host && !this.controlled.has(id)) return false;
    this.controlled.delete(id);
    this.userTabs.set(id, host);
    return true;
  }

  /** A tab is controlled, and these URLs are in its frames. @param {number} id @param {string[]} urls @returns {boolean} whether this is new */
  setControlled(id, urls) {
    const known = this.controlled.get(id);
    const hosts = known ?? new Set();
    const before = hosts.size;
    if (!known) this.controlled.set(id, hosts);
    for (const url of urls) if (hosts.size <= MAX_HOSTS) hosts.add(hostOf(url));
    return this.userTabs.delete(id) || !known || hosts.size !== before;
  }

  /** A tab is closed. @param {number} id */
  remove(id) {
    return [this.userTabs.delete(id), this.controlled.delete(id)].includes(true);
  }

  /** @param {string} ownHost the extension's own id: its connection to the hub is never covered @returns {Rule[]} */
  exemptions(ownHost) {
    const agents = new Set([...this.controlled.values()].flatMap((hosts) => [...hosts]));
    const users = agents.size > MAX_HOSTS ? [] : [...new Set(this.userTabs.values())].filter((host) => HOST.test(host) && !agents.has(host));
    const shared = agents.size > MAX_HOSTS ? [] : [...agents].filter((host) => HOST.test(host));
    const workers = {
      tabIds: [NO_TAB],
      initiatorDomains: [ownHost, ...users],
      ...(shared.length ? { excludedInitiatorDomains: shared } : {}),
    };
    const tabIds = [...this.userTabs.keys()];
    return [...(tabIds.length ? [exemption(USER_TABS_RULE, { tabIds })] : []), exemption(USER_WORKERS_RULE, workers)];
  }
}

/** @param {number} id @param {Partial<Rule['condition']>} condition @returns {Rule} */
function exemption(id, condition) {
  const action = { type: /** @type {const} */ ('allow') };
  return { id, priority: EXEMPTION_PRIORITY, action, condition: { ...condition, resourceTypes: RESOURCE_TYPES } };
}

/** The host whose workers a page can have; empty for a page without one. @param {string} url */
function hostOf(url) {
  const inner = url.replace(/^blob:/, '');
  return URL.canParse(inner) ? new URL(inner).hostname : '';
}
