/**
 * What the hub may call of chrome.*, by name, and only for tabs that it may drive. Nothing else can be called.
 */

import { canBeShared } from './hub_pages.js';

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
    'tabs.leave': { tabs: (id) => [id], run: (id, url) => leavePage(id, url) },
    'tabs.show': { tabs: (id) => [id], run: (id) => showTab(id) },
    'tabs.remove': { tabs: (id) => [id], run: (id) => chrome.tabs.remove(id) },
    'tabs.group': { tabs: (options) => [options.tabIds].flat(), run: (options) => chrome.tabs.group(options) },
    'tabGroups.update': { tabs: () => [], run: (id, look) => chrome.tabGroups.update(id, look) },
    'downloads.search': { tabs: () => [], run: (query) => findDownload(query) },
    'downloads.save': { tabs: () => [], run: (options) => saveHeld(options) },
    'downloads.look': { tabs: () => [], run: (id) => lookAtDownload(id) },
    'downloads.drop': { tabs: () => [], run: (id) => dropDownload(id) },
    'downloads.cancel': { tabs: () => [], run: (query) => cancelDownload(query) },
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

const LEAVE_MS = 2_000;

/** Leaves a page that lets no debugger in, as the debugger would. @param {number} id @param {string} url */
async function leavePage(id, url) {
  if (!canBeShared(url)) throw new Error('Only to a web page.');
  const left = new Promise((resolve) => {
    const timer = setTimeout(end, LEAVE_MS);
    /** @param {{ tabId: number, frameId: number }} details */
    const committed = (details) => {
      if (details.tabId === id && details.frameId === 0) end();
    };
    function end() {
      clearTimeout(timer);
      chrome.webNavigation.onCommitted.removeListener(committed);
      resolve(undefined);
    }
    chrome.webNavigation.onCommitted.addListener(committed);
  });
  await chrome.tabs.update(id, { url });
  await left;
}

/** Brings a tab before the user, who has to do something in it. @param {number} id */
async function showTab(id) {
  const tab = await chrome.tabs.update(id, { active: true });
  if (tab) await chrome.windows.update(tab.windowId, { focused: true });
}

/** The newest downloads of one address, and of no other. @param {{ url: string, startedAfter: string }} query */
async function findDownload({ url, startedAfter }) {
  const found = await chrome.downloads.search({ startedAfter, orderBy: ['-startTime'], limit: 20 });
  return found.filter((item) => item.url === url || item.finalUrl === url);
}

/** Stops downloads of one address that are under way. @param {{ url: string, startedAfter: string }} query */
async function cancelDownload(query) {
  const running = (await findDownload(query)).filter((item) => item.state === 'in_progress' || item.canResume);
  await Promise.all(running.map((item) => chrome.downloads.cancel(item.id)));
}

/** Saves what a page holds, and nothing else, in the user's folder. @param {{ url: string, filename: string }} options */
async function saveHeld({ url, filename }) {
  if (!url.startsWith('blob:') || /[\\/]/.test(filename)) throw new Error('Only what a page holds can be saved, under a plain name.');
  return chrome.downloads.download({ url, filename, conflictAction: 'uniquify', saveAs: false });
}

/** One of our own downloads. @param {number} id */
async function ours(id) {
  const [item] = await chrome.downloads.search({ id });
  if (item?.byExtensionId !== chrome.runtime.id) throw new Error('This download is not an agent\'s.');
  return item;
}

const LOOK_MS = 500;

/** How one stands, as soon as it has ended, or after a while. @param {number} id */
async function lookAtDownload(id) {
  if ((await ours(id)).state === 'in_progress') {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      /** @param {chrome.downloads.DownloadDelta} delta */
      const changed = (delta) => {
        if (delta.id !== id || !delta.state) return;
        clearTimeout(timer);
        chrome.downloads.onChanged.removeListener(changed);
        resolve(undefined);
      };
      chrome.downloads.onChanged.addListener(changed);
    });
  }
  const { state, error, filename, bytesReceived, danger } = await ours(id);
  return { state, error, filename, bytesReceived, danger };
}

/** Leaves nothing of one, neither a file nor a row in the list. @param {number} id */
async function dropDownload(id) {
  await ours(id);
  await chrome.downloads.cancel(id).catch(() => {});
  await chrome.downloads.removeFile(id).catch(() => {});
  await chrome.downloads.erase({ id });
}
