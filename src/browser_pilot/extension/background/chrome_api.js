/** The chrome.* calls that the hub may make, by name, and only for controlled tabs. Nothing else can be called. */

import { canBeShared } from '../lib/url_rules.js';
import { commandRefusal, cookiesOf, isWebPage, mayBeSentWhileHalted, urlsOfSites } from './cdp_methods.js';
import { canSeeRequests } from './request_visibility.js';

/** @typedef {import('./controlled_tabs.js').ControlledTabs} ControlledTabs */
/** @typedef {(tabId: number) => Promise<void>} Cover resolves when the network policy holds in a tab */
/** @typedef {{ tabs: (...args: any[]) => (number | undefined)[], run: (...args: any[]) => Promise<unknown> }} Method `tabs` names the tabs that a call is about */

const NAVIGATION_TIMEOUT_MS = 2_000;
const DOWNLOAD_POLL_MS = 500;
const ALLOWED_WHILE_HALTED = new Set([
  'debugger.detach', 'debugger.getTargets', 'tabs.get', 'tabs.remove', 'downloads.search', 'downloads.poll', 'downloads.discard', 'downloads.cancel',
  'controlledTabs.release', 'ui.canSeeRequests',
]);

/**
 * @typedef {object} Environment
 * @property {ControlledTabs} controlled
 * @property {Cover} cover
 * @property {(tabId: number) => Promise<void>} release ends the control of a tab
 * @property {{ reason: string }} halt why the user allows nothing now; empty while agents may work
 */

/** @param {Environment} env @returns {Record<string, Method>} */
function methods({ controlled, cover, release }) {
  return {
    'debugger.attach': { tabs: tabOfTarget, run: (target, version) => chrome.debugger.attach(target, version) },
    'debugger.detach': { tabs: tabOfTarget, run: (target) => chrome.debugger.detach(target) },
    'debugger.sendCommand': {
      tabs: tabOfTarget,
      run: (target, method, params) => sendCommand(controlled, target, method, params),
    },
    'debugger.getTargets': {
      tabs: () => [],
      run: async () => (await chrome.debugger.getTargets()).filter((target) => controlled.has(target.tabId)),
    },
    'tabs.create': { tabs: () => [], run: (options) => createTab(controlled, cover, options) },
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
    'ui.canSeeRequests': { tabs: () => [], run: () => canSeeRequests(controlled) },
    'controlledTabs.release': { tabs: (id) => [id], run: (id) => release(id) },
  };
}

/** @param {Environment} env */
export function chromeApi(env) {
  const table = methods(env);
  /** @param {string} name @param {unknown[]} args @returns {Promise<unknown>} */
  return async (name, args) => {
    const method = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!method) throw new Error(`The hub may not call ${name}.`);
    if (env.halt.reason && !isAllowedWhileHalted(name, args)) throw new Error(env.halt.reason);
    if (!method.tabs(...args).every((id) => env.controlled.has(id))) throw new Error('This tab is not shared with agents.');
    return method.run(...args);
  };
}

/** What ends something, or keeps the user's pages from waiting for the debugger. @param {string} name @param {unknown[]} args */
function isAllowedWhileHalted(name, args) {
  if (name === 'debugger.sendCommand') return mayBeSentWhileHalted(args[1]);
  return ALLOWED_WHILE_HALTED.has(name);
}

/** @param {chrome.debugger.Debuggee | undefined} target */
function tabOfTarget(target) {
  return [target?.tabId];
}

/**
 * Sends a command of the list, and limits what it can reach to controlled tabs. Most are sent in the same turn: their order matters.
 * @param {ControlledTabs} controlled @param {chrome.debugger.DebuggerSession} target @param {string} method @param {Record<string, any> | undefined} params
 * @returns {Promise<unknown>}
 */
async function sendCommand(controlled, target, method, params) {
  const refusal = commandRefusal(method, params);
  if (refusal) throw new Error(refusal);
  if (method === 'Storage.getCookies') {
    const { cookies } = /** @type {{ cookies: { domain: string }[] }} */ (await chrome.debugger.sendCommand(target, method, params));
    return { cookies: cookiesOf(cookies, await controlledUrls(controlled)) };
  }
  if (method === 'Network.getCookies') {
    const urls = urlsOfSites(params?.urls, await controlledUrls(controlled));
    return urls.length ? chrome.debugger.sendCommand(target, method, { urls }) : { cookies: [] };
  }
  if (method === 'Page.navigateToHistoryEntry') {
    const history = /** @type {{ entries: { id: number, url: string }[] }} */ (await chrome.debugger.sendCommand(target, 'Page.getNavigationHistory'));
    if (!isWebPage(history.entries.find((entry) => entry.id === params?.entryId)?.url)) throw new Error('Only web pages can be opened.');
  }
  return chrome.debugger.sendCommand(target, method, params);
}

/** @param {ControlledTabs} controlled */
async function controlledUrls(controlled) {
  const tabs = await Promise.all(controlled.list().map(({ id }) => chrome.tabs.get(id).catch(() => undefined)));
  return tabs.flatMap((tab) => tab?.url ?? []);
}

/**
 * Opens a tab for an agent in the background; the user's tab stays active. It is blank until it is controlled and the policy holds there.
 * @param {ControlledTabs} controlled @param {Cover} cover @param {{ url?: string }} options
 */
async function createTab(controlled, cover, { url = 'about:blank' }) {
  if (!canBeShared(url)) throw new Error('A tab can only be opened for a web page.');
  const tab = await createBlankTab();
  if (tab?.id === undefined) throw new Error('Chrome opened no tab.');
  controlled.add(tab.id, 'agent', Date.now());
  await cover(tab.id);
  return url === 'about:blank' ? tab : ((await chrome.tabs.update(tab.id, { url })) ?? tab);
}

async function createBlankTab() {
  const windows = await chrome.windows.getAll({ windowTypes: ['normal'] });
  const window = windows.find((one) => one.focused && !one.incognito) ?? windows.find((one) => !one.incognito);
  if (window?.id !== undefined) return chrome.tabs.create({ url: 'about:blank', active: false, windowId: window.id });
  return (await chrome.windows.create({ url: 'about:blank', focused: false }))?.tabs?.[0];
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
