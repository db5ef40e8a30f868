/** The chrome.* calls that the hub may make, by name, and only for controlled tabs. Nothing else can be called. */

import { canBeShared } from '../lib/url_rules.js';

/** @typedef {import('./controlled_tabs.js').ControlledTabs} ControlledTabs */
/** @typedef {{ tabs: (...args: any[]) => (number | undefined)[], run: (...args: any[]) => Promise<unknown> }} Method `tabs` names the tabs that a call is about */

const NAVIGATION_TIMEOUT_MS = 2_000;
const DOWNLOAD_POLL_MS = 500;

/** @param {ControlledTabs} controlled @returns {Record<string, Method>} */
function methods(controlled) {
  return {
    'debugger.attach': { tabs: tabOfTarget, run: (target, version) => chrome.debugger.attach(target, version) },
    'debugger.detach': { tabs: tabOfTarget, run: (target) => chrome.debugger.detach(target) },
    'debugger.sendCommand': {
      tabs: tabOfTarget,
      run: (target, method, params) => chrome.debugger.sendCommand(target, method, params),
    },
    'debugger.getTargets': {
      tabs: () => [],
      run: async () => (await chrome.debugger.getTargets()).filter((target) => controlled.has(target.tabId)),
    },
    'tabs.create': { tabs: () => [], run: (options) => createTab(controlled, options) },
    'tabs.get': { tabs: (id) => [id], run: (id) => chrome.tabs.get(id) },
    'tabs.navigate': { tabs: (id) => [id], run: (id, url) => navigateTab(id, url) },
    'tabs.activate': { tabs: (id) => [id], run: (id) => activateTab(id) },
    'tabs.remove': { tabs: (id) => [id], run: (id) => chrome.tabs.remove(id) },
    'tabs.group': { tabs: (options) => [options.tabIds].flat(), run: (options) => chrome.tabs.group(options) },
    'tabGroups.update': { tabs: () => [], run: (id, properties) => chrome.tabGroups.update(id, properties) },
    'downloads.search': { tabs: () => [], run: (query) => findDownloads(query) },
    'downloads.saveBlob': { tabs: () => [], run: (options) => saveBlob(options) },
    'downloads.poll': { tabs: () => [], run: (id) => pollDownload(id) },
    'downloads.discard': { tabs: () => [], run: (id) => discardDownload(id) },
    'downloads.cancel': { tabs: () => [], run: (query) => cancelDownloads(query) },
    'controlledTabs.release': { tabs: (id) => [id], run: async (id) => void controlled.remove(id) },
  };
}

/** @param {ControlledTabs} controlled */
export function chromeApi(controlled) {
  const table = methods(controlled);
  /** @param {string} name @param {unknown[]} args @returns {Promise<unknown>} */
  return (name, args) => {
    const method = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!method) return Promise.reject(new Error(`The hub may not call ${name}.`));
    if (!method.tabs(...args).every((id) => controlled.has(id))) return Promise.reject(new Error('This tab is not shared with agents.'));
    return method.run(...args);
  };
}

/** @param {chrome.debugger.Debuggee | undefined} target */
function tabOfTarget(target) {
  return [target?.tabId];
}

/**
 * Opens a tab for an agent in the background; the user's tab stays active.
 * @param {ControlledTabs} controlled @param {{ url?: string }} options
 */
async function createTab(controlled, options) {
  const url = options.url ?? 'about:blank';
  const windows = await chrome.windows.getAll({ windowTypes: ['normal'] });
  const window = windows.find((one) => one.focused && !one.incognito) ?? windows.find((one) => !one.incognito);
  if (window?.id === undefined) {
    const created = await chrome.windows.create({ url, focused: false });
    const tab = created?.tabs?.[0];
    if (tab?.id === undefined) throw new Error('Chrome opened no window.');
    controlled.add(tab.id, 'agent', Date.now());
    return tab;
  }
  const tab = await chrome.tabs.create({ url, active: false, windowId: window.id });
  if (tab.id === undefined) throw new Error('Chrome opened no tab.');
  controlled.add(tab.id, 'agent', Date.now());
  return tab;
}

/** Navigates a tab that the debugger cannot attach to; resolves when the navigation is committed. @param {number} id @param {string} url */
async function navigateTab(id, url) {
  if (!canBeShared(url)) throw new Error('A tab can only be navigated to a web page.');
  const committed = new Promise((resolve) => {
    const timer = setTimeout(end, NAVIGATION_TIMEOUT_MS);
    /** @param {{ tabId: number, frameId: number }} details */
    const onCommitted = (details) => {
      if (details.tabId === id && details.frameId === 0) end();
    };
    function end() {
      clearTimeout(timer);
      chrome.webNavigation.onCommitted.removeListener(onCommitted);
      resolve(undefined);
    }
    chrome.webNavigation.onCommitted.addListener(onCommitted);
  });
  await chrome.tabs.update(id, { url });
  await committed;
}

/** Brings a tab to the front when the user has to do something in it. @param {number} id */
async function activateTab(id) {
  const tab = await chrome.tabs.update(id, { active: true });
  if (tab) await chrome.windows.update(tab.windowId, { focused: true });
}

/** The newest downloads of one URL, and of no other. @param {{ url: string, startedAfter: string }} query */
async function findDownloads({ url, startedAfter }) {
  const found = await chrome.downloads.search({ startedAfter, orderBy: ['-startTime'], limit: 20 });
  return found.filter((item) => item.url === url || item.finalUrl === url);
}

/** Cancels unfinished downloads of one URL. @param {{ url: string, startedAfter: string }} query */
async function cancelDownloads(query) {
  const running = (await findDownloads(query)).filter((item) => item.state === 'in_progress' || item.canResume);
  await Promise.all(running.map((item) => chrome.downloads.cancel(item.id)));
}

/** Saves a blob of a page, and nothing else, into the user's download folder. @param {{ url: string, filename: string }} options */
async function saveBlob({ url, filename }) {
  if (!url.startsWith('blob:') || /[\\/]/.test(filename)) throw new Error('Only blob: URLs can be saved, and only under a plain file name.');
  return chrome.downloads.download({ url, filename, conflictAction: 'uniquify', saveAs: false });
}

/** A download that this extension started; rejects for any other. @param {number} id */
async function ownDownload(id) {
  const [item] = await chrome.downloads.search({ id });
  if (item?.byExtensionId !== chrome.runtime.id) throw new Error('No agent started this download.');
  return item;
}

/** The state of a download: when it has ended, or after a short wait. @param {number} id */
async function pollDownload(id) {
  if ((await ownDownload(id)).state === 'in_progress') {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, DOWNLOAD_POLL_MS);
      /** @param {chrome.downloads.DownloadDelta} delta */
      const onChanged = (delta) => {
        if (delta.id !== id || !delta.state) return;
        clearTimeout(timer);
        chrome.downloads.onChanged.removeListener(onChanged);
        resolve(undefined);
      };
      chrome.downloads.onChanged.addListener(onChanged);
    });
  }
  const { state, error, filename, bytesReceived, danger } = await ownDownload(id);
  return { state, error, filename, bytesReceived, danger };
}

/** Removes a download: its file and its entry in the list. @param {number} id */
async function discardDownload(id) {
  await ownDownload(id);
  await chrome.downloads.cancel(id).catch(() => {});
  await chrome.downloads.removeFile(id).catch(() => {});
  await chrome.downloads.erase({ id });
}
