/**
 * The service worker: passes calls of the hub to chrome.* and events back, and decides which tabs the hub can see. What agents may do is
 * decided in the hub.
 *
 * Chrome may end and restart it at any time. Every listener is registered synchronously, and every handler waits for `ready`.
 */

import { migratePairingKey, removePairingKeys } from '../lib/pairing_key.js';
import { isOffer, refusalOf } from '../lib/pairing_offer.js';
import { canBeShared, isHubPage } from '../lib/url_rules.js';
import { WorkerPort } from '../lib/worker_port.js';
import { Badge } from './badge.js';
import { chromeApi } from './chrome_api.js';
import { ControlledTabs } from './controlled_tabs.js';
import { DnrRules } from './dnr_rules.js';
import { FloodLimiter } from './flood_limiter.js';
import { FocusGuard } from './focus_guard.js';
import { HaltState, haltedBy } from './halt_state.js';
import { SharedWindows } from './shared_windows.js';
import { openPanel } from './side_panel.js';
import { hideIndicator, showIndicator } from './tab_indicator.js';

const DEFAULT_SERVER = '127.0.0.1:8777';
const OFFSCREEN_PAGE = 'offscreen/offscreen.html';
const RETRY_ALARM = 'retry the hub connection';

/** @typedef {import('../lib/connection_status.js').HubState} HubState */
/** @typedef {{ to?: string, type?: string, tab?: number, server?: string, command?: string }} PageRequest from a page of the extension */
/** @typedef {{ id?: string, call?: string, args?: unknown[], notice?: string, data?: any }} HubMessage */

/** To the offscreen document, which holds the hub connection. @type {WorkerPort | null} */
let offscreen = null;
/** Messages to the hub while the offscreen document is not connected. @type {Record<string, unknown>[]} */
let outbox = [];
let isReady = false;
/** Tabs in which no page has been loaded yet. @type {Set<number>} */
const newTabs = new Set();
/** @type {HubState} */
let hub = {};

const dnrRules = new DnrRules(chrome.storage.session);
const controlled = new ControlledTabs(chrome.storage.session, (tabs) => {
  sendToHub({ event: 'controlledTabs.changed', args: [tabs] });
  dnrRules.setTabs(tabs.map((tab) => tab.id));
});
const focus = new FocusGuard();
const floods = new FloodLimiter({
  forward: (source, method, params) => sendToHub({ event: 'debugger.onEvent', args: [source, method, params] }),
  command: (source, method, params) => void chrome.debugger.sendCommand(source, method, params).catch(() => {}),
  now: () => performance.now(),
  setInterval: (run, ms) => setInterval(run, ms),
  clearInterval: (timer) => clearInterval(timer),
});
const halt = new HaltState(chrome.storage.local);
const badge = new Badge();
const windows = new SharedWindows(chrome.storage.session, (id) => share(id));
const callChrome = chromeApi({ controlled, halt, cover: (id) => dnrRules.cover(id), release });
const ready = Promise.all([controlled.load().then(() => dnrRules.load((id) => controlled.has(id))), focus.load(), windows.load(), halt.load(), loadHubState()]).then(() => {
  hub = { ...hub, halted: halt.value };
  isReady = true;
});

/** What the hub reported before this worker started. */
async function loadHubState() {
  const stored = await chrome.storage.session.get({ hub: {} });
  hub = /** @type {HubState} */ (stored.hub);
}

/** Keeps events in order: none overtakes those that arrived before the worker was ready. @param {() => void} handler */
function whenReady(handler) {
  if (isReady) handler();
  else void ready.then(handler);
}

/** @param {Record<string, unknown>} message */
function sendToHub(message) {
  if (offscreen) offscreen.send({ toHub: message });
  else {
    outbox.push(message);
    void ensureOffscreen();
  }
}

/** Applies a command of the user here, then tells the hub: it may hang or be offline. @param {unknown} command */
async function onUserCommand(command) {
  const halted = haltedBy(command);
  const applied = halted === undefined ? undefined : setHalted(halted);
  sendToHub({ event: 'user.command', args: [command] });
  await applied;
}

/** @param {import('./halt_state.js').Halted} halted */
async function setHalted(halted) {
  const stored = halt.set(halted);
  await Promise.all([stored, halted === 'stopped' ? releaseAll() : undefined]);
  await publishHubState({ ...hub, halted });
}

/** Shows what the hub reported, and the user's Pause or Stop. @param {HubState} state */
async function publishHubState(state) {
  hub = state;
  await Promise.all([chrome.storage.session.set({ hub }), badge.update(hub), ...controlled.list().map((tab) => showIndicator(tab.id, hub))]);
}

/** @type {Promise<void> | null} */
let creating = null;

async function ensureOffscreen() {
  creating ??= (async () => {
    if (await chrome.offscreen.hasDocument()) return;
    await chrome.offscreen.createDocument({
      url: OFFSCREEN_PAGE,
      reasons: [chrome.offscreen.Reason.WORKERS],
      justification: 'Keeps the connection to the hub while the service worker sleeps.',
    });
  })().finally(() => {
    creating = null;
  });
  await creating;
}

// A migration that fails leaves the key where it is, for the next start.
const migrated = migratePairingKey(chrome.storage.local).catch((error) => console.error('The pairing key could not be moved:', error));

async function settings() {
  await migrated;
  const stored = await chrome.storage.local.get({ server: DEFAULT_SERVER, browser: '', off: false, halted: '' });
  return /** @type {{ server: string, browser: string, off: boolean, halted: string }} */ (stored);
}

chrome.runtime.onConnect.addListener((port) => {
  if (port.name !== 'offscreen' || port.sender?.id !== chrome.runtime.id) return;
  const connected = new WorkerPort(port, (message) => whenReady(() => onOffscreenMessage(message)));
  offscreen = connected;
  port.onMessage.addListener((message) => connected.onPortMessage(message));
  port.onDisconnect.addListener(() => {
    if (offscreen === connected) offscreen = null;
  });
  void settings().then((current) => connected.send({ settings: current, version: chrome.runtime.getManifest().version }));
  for (const message of outbox.splice(0)) connected.send({ toHub: message });
  void offerChannel(connected);
});

/** Opens a direct channel to the offscreen document: every command and its result pass through it. @param {WorkerPort} port */
async function offerChannel(port) {
  const scope = /** @type {{ clients?: { matchAll(options: object): Promise<{ url: string, postMessage(message: unknown, transfer: Transferable[]): void }[]> } }} */ (/** @type {unknown} */ (self));
  const pages = (await scope.clients?.matchAll({ includeUncontrolled: true })) ?? [];
  const page = pages.find((one) => one.url === chrome.runtime.getURL(OFFSCREEN_PAGE));
  if (!page || offscreen !== port) return;
  const channel = new MessageChannel();
  const name = crypto.randomUUID();
  port.offerChannel(channel.port1);
  port.send({ channel: name });
  page.postMessage({ channel: name }, [channel.port2]);
}

/** @param {{ fromHub?: HubMessage, connected?: boolean, paired?: import('../offscreen/hub_connection.js').Pairing }} message */
function onOffscreenMessage({ fromHub, connected, paired }) {
  if (connected) sendToHub({ event: 'controlledTabs.changed', args: [controlled.list()] });
  if (paired) void chrome.storage.local.set({ ...paired, off: false });
  if (fromHub?.id !== undefined && fromHub.call !== undefined) void onCall(fromHub.id, fromHub.call, fromHub.args ?? []);
  else if (fromHub?.notice !== undefined) void onNotification(fromHub.notice, fromHub.data);
}

/** @param {string} id @param {string} call @param {unknown[]} args */
async function onCall(id, call, args) {
  try {
    if (call === 'debugger.sendCommand') focus.recordCommand(args);
    const result = await callChrome(call, args);
    if (call === 'debugger.sendCommand') focus.recordCommand(args);
    sendToHub({ id, result: result ?? null });
  } catch (error) {
    sendToHub({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

/** @param {string} name @param {any} data */
async function onNotification(name, data) {
  if (name === 'ui.changed') await publishHubState({ ...data, halted: halt.value });
  // Pause, Stop and Resume on the dashboard.
  else if (name === 'user.command') await setHalted(haltedBy(data) ?? halt.value);
  else if (name === 'dnrRules.changed') await dnrRules.setRules(data);
  else if (name === 'extension.reload') chrome.runtime.reload();
  else if (name === 'pairing.removed') {
    await releaseAll();
    await chrome.storage.local.remove(['browser', 'name']);
  }
}

/** Ends the control of a tab. @param {number} tabId */
async function release(tabId) {
  const tab = controlled.get(tabId);
  if (!tab) return;
  controlled.remove(tabId);
  floods.forget(tabId);
  const isAgents = tab.kind === 'agent';
  await Promise.all([
    chrome.debugger.detach({ tabId }).catch(() => {}),
    hideIndicator(tabId),
    // A tab that an agent opened stays open, as one of the user's.
    isAgents ? chrome.tabs.ungroup(tabId).catch(() => {}) : undefined,
  ]);
}

async function releaseAll() {
  await Promise.all([windows.clear(), ...controlled.list().map((tab) => release(tab.id))]);
}

/** Shares a tab of the user with agents; resolves with false when its page cannot be shared. @param {number} tabId */
async function share(tabId) {
  const tab = await chrome.tabs.get(tabId);
  if (!canBeShared(tab.url ?? '') || isHubPage(tab.url ?? '', (await settings()).server)) return false;
  await dnrRules.cover(tabId);
  controlled.add(tabId, 'shared', Date.now());
  await showIndicator(tabId, hub);
  return true;
}

/** @param {PageRequest} request */
async function onPageRequest(request) {
  await ready;
  const id = request.tab ?? -1;
  if (request.type === 'command') await onUserCommand(request.command);
  await ensureOffscreen();
  if (request.type === 'connect') {
    if (halt.value === 'stopped') await onUserCommand('resume');
    if (!(await share(id))) return { problem: 'cannot be shared' };
    if (await sharesWholeWindow()) await windows.share(id);
  } else if (request.type === 'disconnect') {
    for (const tabId of await windows.unshare(id)) await release(tabId);
    await release(id);
  } else if (request.type === 'set_server') await chrome.storage.local.set({ server: request.server || DEFAULT_SERVER, off: false });
  else if (request.type === 'turn_off') await chrome.storage.local.set({ off: true });
  else if (request.type === 'turn_on') await chrome.storage.local.set({ off: false });
  return { tab: controlled.get(id) ?? null, hub, wholeWindow: await sharesWholeWindow() };
}

async function sharesWholeWindow() {
  return Boolean((await chrome.storage.local.get({ wholeWindow: false })).wholeWindow);
}

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (sender.id !== chrome.runtime.id) return false;
  // Only pages of the extension, never a content script.
  if (message?.to === 'service_worker' && sender.url?.startsWith(chrome.runtime.getURL(''))) {
    void onPageRequest(message).then(reply);
    return true;
  }
  if (message?.to === 'tab_indicator' && sender.tab?.id !== undefined) {
    const tabId = sender.tab.id;
    if (message.type === 'is_user_mouse') reply(focus.isUserMouse(tabId));
    else if (message.type === 'lost') whenReady(() => void release(tabId));
    else if (controlled.has(tabId) && focus.isUserClick(tabId, message.x, message.y)) {
      if (message.command === 'review') void openPanel({ windowId: sender.tab.windowId, tabId });
      // Never Resume: a page could lead the user to click it.
      else if (message.command === 'pause' || message.command === 'stop') void onUserCommand(message.command);
    }
  }
  return false;
});

// The page of the configured hub may offer its pairing code; the user sees the address and confirms.
chrome.runtime.onMessageExternal.addListener((message, sender, reply) => {
  const origin = sender.origin ?? '';
  if (!isOffer(message, origin)) return false;
  void onPairingOffer(message.pair, origin).then(reply);
  return true;
});

/** @param {string} code @param {string} origin @returns {Promise<{ refused: import('../lib/pairing_offer.js').Refusal }>} */
async function onPairingOffer(code, origin) {
  const refused = refusalOf(origin, await settings());
  if (!refused) {
    const pairingOffer = { server: origin.slice('http://'.length), code: code.slice(0, 12) };
    await chrome.storage.session.set({ pairingOffer });
    await chrome.runtime.openOptionsPage();
  }
  return { refused };
}

chrome.storage.local.onChanged.addListener((changes) => {
  // Removing the pairing also ends the control of every tab.
  if (changes.browser && !changes.browser.newValue) {
    whenReady(() => void releaseAll());
    void removePairingKeys();
  }
  void settings().then((current) => offscreen?.send({ settings: current }));
});

chrome.debugger.onEvent.addListener((source, method, params) =>
  whenReady(() => {
    if (controlled.has(source.tabId)) floods.onEvent(source, method, params ?? {});
  }),
);
chrome.debugger.onDetach.addListener((source, reason) =>
  whenReady(() => {
    floods.forget(source.tabId);
    if (!controlled.has(source.tabId)) return;
    // Cancel in Chrome's infobar detaches every tab, so it stops all agents.
    if (reason === 'canceled_by_user') void onUserCommand('stop');
    else sendToHub({ event: 'debugger.onDetach', args: [source, reason] });
  }),
);
chrome.tabs.onCreated.addListener(({ id }) => {
  if (id !== undefined) newTabs.add(id);
});
chrome.tabs.onRemoved.addListener((tabId) =>
  whenReady(() => {
    controlled.remove(tabId);
    floods.forget(tabId);
    newTabs.delete(tabId);
    void dnrRules.remove(tabId);
  }),
);
chrome.tabs.onReplaced.addListener((to, from) =>
  whenReady(() => {
    controlled.replaceId(from, to);
    void dnrRules.remove(from);
    if (!controlled.has(to)) void dnrRules.exempt(to, '');
  }),
);
chrome.tabs.onUpdated.addListener((tabId, change) =>
  whenReady(() => {
    // The user takes an agent's tab back by dragging it out of the agents' tab group.
    if (change.groupId === chrome.tabGroups.TAB_GROUP_ID_NONE && controlled.get(tabId)?.kind === 'agent') void release(tabId);
    if (change.url) void windows.onNavigated(tabId);
  }),
);
chrome.tabs.onActivated.addListener((activated) => focus.onActivated(activated));
chrome.webNavigation.onCreatedNavigationTarget.addListener((details) =>
  whenReady(() => {
    const source = controlled.get(details.sourceTabId);
    // A tab that the user opens from a shared page is not shared.
    if (!source || (source.kind === 'shared' && !focus.isAgentInput(source.id))) {
      if (!controlled.has(details.tabId)) void dnrRules.exempt(details.tabId, details.url);
      return;
    }
    controlled.add(details.tabId, 'agent', Date.now(), details.sourceTabId);
    sendToHub({ event: 'webNavigation.onCreatedNavigationTarget', args: [details] });
    void focus.restoreActiveTab(details.tabId, details.sourceTabId);
  }),
);
chrome.webNavigation.onErrorOccurred.addListener(({ tabId, frameId, url, error }) =>
  whenReady(() => {
    if (frameId !== 0 || controlled.has(tabId)) return;
    // The policy covers every new tab until it is known to be the user's: what it blocked there is loaded now.
    const wasBlocked = newTabs.delete(tabId) && error === 'net::ERR_BLOCKED_BY_CLIENT' && /^https?:/.test(url);
    void dnrRules.exempt(tabId, url).then(() => (wasBlocked && !controlled.has(tabId) ? chrome.tabs.reload(tabId) : undefined)).catch(() => {});
  }),
);
chrome.webNavigation.onBeforeNavigate.addListener(({ tabId, url }) => whenReady(() => void dnrRules.addHost(tabId, url)));
for (const name of /** @type {const} */ (['onDOMContentLoaded', 'onErrorOccurred'])) {
  chrome.webNavigation[name].addListener((details) =>
    whenReady(() => {
      if (details.frameId === 0 && controlled.has(details.tabId)) sendToHub({ event: `webNavigation.${name}`, args: [details] });
    }),
  );
}
chrome.webNavigation.onCommitted.addListener((details) =>
  whenReady(() => {
    if (!controlled.has(details.tabId)) {
      // Chrome may report an agent's blank tab here before it reports whose it is.
      if (details.frameId !== 0 || (details.url === 'about:blank' && newTabs.has(details.tabId))) return;
      newTabs.delete(details.tabId);
      void dnrRules.exempt(details.tabId, details.url);
      return;
    }
    newTabs.delete(details.tabId);
    void dnrRules.addHost(details.tabId, details.url);
    if (details.frameId !== 0) return;
    void settings().then(({ server }) => {
      // The user decides approvals in pages of the extension and of the hub: no agent may control a tab that shows one, or a file.
      const isForbidden = /^(chrome-extension|file):/.test(details.url) || isHubPage(details.url, server);
      return isForbidden ? release(details.tabId) : showIndicator(details.tabId, hub);
    });
  }),
);
badge.listen();
chrome.permissions.onAdded.addListener((added) => {
  if (!added.permissions?.includes('notifications')) return;
  badge.listen();
  void chrome.storage.local.set({ notify: true, notifyOffered: true });
});
chrome.runtime.onStartup.addListener(() => void ensureOffscreen());
chrome.runtime.onInstalled.addListener(() => void ensureOffscreen());
chrome.alarms.onAlarm.addListener(async () => {
  await ensureOffscreen();
  await chrome.runtime.sendMessage({ to: 'offscreen', type: 'retry' }).catch(() => {});
});
void chrome.alarms.create(RETRY_ALARM, { periodInMinutes: 0.5 });
void ensureOffscreen();
