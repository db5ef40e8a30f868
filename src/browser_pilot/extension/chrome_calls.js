/**
 * What the hub may call of chrome.*, by name, and only for tabs that it may drive. Nothing else can be called.
 */

/** @typedef {import('./driven_tabs.js').DrivenTabs} DrivenTabs */
/** @typedef {{ tabs: (...args: any[]) => (number | undefined)[], run: (...args: any[]) => Promise<unknown> }} Call */

/** @param {DrivenTabs} driven @returns {Record<string, Call>} */
function table(driven) {
  return {
    'debugger.attach': { tabs: ofTarget, run: (target, version) => chrome.debugger.attach(target, version) },
    'debugger.detach': { tabs: ofTarget, run: (target) => chrome.debugger.detach(target) },
    'debugger.sendCommand': {
      tabs: ofTarget,
      run: (target, method, params) => chrome.debugger.sendCommand(target, method, params),
    },
    'debugger.getTargets': {
      tabs: () => [],
      run: async () => (await chrome.debugger.getTargets()).filter((target) => driven.has(target.tabId)),
    },
    'tabs.create': { tabs: () => [], run: (options) => createTab(driven, options) },
    'tabs.get': { tabs: (id) => [id], run: (id) => chrome.tabs.get(id) },
    'tabs.remove': { tabs: (id) => [id], run: (id) => chrome.tabs.remove(id) },
    'tabs.group': { tabs: (options) => [options.tabIds].flat(), run: (options) => chrome.tabs.group(options) },
    'tabGroups.update': { tabs: () => [], run: (id, look) => chrome.tabGroups.update(id, look) },
    'downloads.search': { tabs: () => [], run: (query) => findDownload(query) },
    'pilot.release': { tabs: (id) => [id], run: async (id) => void driven.remove(id) },
  };
}

/** @param {DrivenTabs} driven */
export function chromeCalls(driven) {
  const calls = table(driven);
  /** @param {string} name @param {unknown[]} args @returns {Promise<unknown>} */
  return (name, args) => {
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
    if (!call) return Promise.reject(new Error(`${name} is not a call that the hub may make.`));
    const stranger = call.tabs(...args).find((id) => !driven.has(id));
    if (stranger !== undefined || call.tabs(...args).includes(undefined)) {
      return Promise.reject(new Error('This tab is not shared with agents.'));
    }
    return call.run(...args);
  };
}

/** @param {chrome.debugger.Debuggee | undefined} target */
function ofTarget(target) {
  return [target?.tabId];
}

/**
 * A tab of the agent's own, in the background: the user's stays in front.
 * @param {DrivenTabs} driven @param {{ url?: string }} options
 */
async function createTab(driven, options) {
  const url = options.url ?? 'about:blank';
  const windows = await chrome.windows.getAll({ windowTypes: ['normal'] });
  const home = windows.find((window) => window.focused && !window.incognito) ?? windows.find((window) => !window.incognito);
  if (home?.id === undefined) {
    const made = await chrome.windows.create({ url, focused: false });
    const tab = made?.tabs?.[0];
    if (tab?.id === undefined) throw new Error('Chrome opened no window.');
    driven.add(tab.id, 'agent', Date.now());
    return tab;
  }
  const tab = await chrome.tabs.create({ url, active: false, windowId: home.id });
  if (tab.id === undefined) throw new Error('Chrome opened no tab.');
  driven.add(tab.id, 'agent', Date.now());
  return tab;
}

/** The newest downloads of one address, and of no other. @param {{ url: string, startedAfter: string }} query */
async function findDownload({ url, startedAfter }) {
  const found = await chrome.downloads.search({ startedAfter, orderBy: ['-startTime'], limit: 20 });
  return found.filter((item) => item.url === url || item.finalUrl === url);
}
