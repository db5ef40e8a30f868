/**
 * The service worker: a thin pipe between the hub and chrome.*. What an agent does is decided in the hub; which tabs exist for it is
 * decided here.
 *
 * It may die and come back at any time. Every listener is registered at once, and every handler waits for `ready`.
 */

import { Attention } from './attention.js';
import { chromeCalls } from './chrome_calls.js';
import { DrivenTabs } from './driven_tabs.js';
import { FocusKeeper } from './focus_keeper.js';
import { canBeShared, isHubsPage } from './hub_pages.js';
import { NetRules } from './net_rules.js';
import { Passage } from './passage.js';
import { SharedWindows } from './shared_windows.js';
import { hideSign, showSign } from './signs.js';

const DEFAULT_SERVER = '127.0.0.1:8777';
const ALARM = 'look for the hub';

/** @typedef {{ to?: string, ask?: string, tab?: number, server?: string, word?: string }} Request */

/** The way to the page that holds the connection. @type {Passage | null} */
let passage = null;
/** @type {Record<string, unknown>[]} */
let outbox = [];
let isReady = false;
/** What the hub last said about itself: mode, agents, halted. @type {Record<string, unknown>} */
let news = {};

const netRules = new NetRules(chrome.storage.session);
const driven = new DrivenTabs(chrome.storage.session, (tabs) => {
  toHub({ event: 'pilot.tabs', args: [tabs] });
  netRules.coverOnly(tabs.map((tab) => tab.id));
});
const focus = new FocusKeeper();
const attention = new Attention();
const windows = new SharedWindows(chrome.storage.session, (id) => share(id));
const perform = chromeCalls(driven);
const ready = Promise.all([driven.load(), netRules.load(), focus.look(), windows.load(), recall()]).then(() => {
  netRules.tabs = driven.list().map((tab) => tab.id);
  isReady = true;
});

/** What the hub last said, from before this worker's last death. */
async function recall() {
  const stored = await chrome.storage.session.get({ news: {} });
  news = /** @type {Record<string, unknown>} */ (stored.news);
}

/** Keeps the order of events: nothing overtakes what came before the worker was ready. @param {() => void} work */
function whenReady(work) {
  if (isReady) work();
  else void ready.then(work);
}

/** @param {Record<string, unknown>} message */
function toHub(message) {
  if (passage) passage.send({ up: message });
  else {
    outbox.push(message);
    void ensureLink();
  }
}

/** @type {Promise<void> | null} */
let making = null;

async function ensureLink() {
  making ??= (async () => {
    if (await chrome.offscreen.hasDocument()) return;
    await chrome.offscreen.createDocument({
      url: 'offscreen.html',
      reasons: [chrome.offscreen.Reason.WORKERS],
      justification: 'Keeps the connection to the hub while the service worker sleeps.',
    });
  })().finally(() => {
    making = null;
  });
  await making;
}

async function settings() {
  const stored = await chrome.storage.local.get({ server: DEFAULT_SERVER, browser: '', key: '', off: false });
  return /** @type {{ server: string, browser: string, key: string, off: boolean }} */ (stored);
}

chrome.runtime.onConnect.addListener((opened) => {
  if (opened.name !== 'link' || opened.sender?.id !== chrome.runtime.id) return;
  const made = new Passage(opened, (message) => whenReady(() => fromLink(message)));
  passage = made;
  opened.onMessage.addListener((message) => made.fromSlow(message));
  opened.onDisconnect.addListener(() => {
    if (passage === made) passage = null;
  });
  void settings().then((given) => made.send({ settings: given, version: chrome.runtime.getManifest().version }));
  for (const message of outbox.splice(0)) made.send({ up: message });
  void offerChannel(made);
});

/** A channel straight to that page: every command takes this way twice. @param {Passage} made */
async function offerChannel(made) {
  const scope = /** @type {{ clients?: { matchAll(options: object): Promise<{ url: string, postMessage(message: unknown, transfer: Transferable[]): void }[]> } }} */ (/** @type {unknown} */ (self));
  const pages = (await scope.clients?.matchAll({ includeUncontrolled: true })) ?? [];
  const page = pages.find((one) => one.url === chrome.runtime.getURL('offscreen.html'));
  if (!page || passage !== made) return;
  const channel = new MessageChannel();
  const name = crypto.randomUUID();
  made.offer(channel.port1);
  made.send({ channel: name });
  page.postMessage({ channel: name }, [channel.port2]);
}

/** @param {{ down?: { id?: string, call?: string, args?: unknown[], notice?: string, data?: any }, connected?: boolean, paired?: { server: string, browser: string, key: string, name: string } }} message */
function fromLink(message) {
  if (message.connected) toHub({ event: 'pilot.tabs', args: [driven.list()] });
  if (message.paired) void chrome.storage.local.set({ ...message.paired, off: false });
  const down = message.down;
  if (down?.id !== undefined && down.call !== undefined) void answer(down.id, down.call, down.args ?? []);
  else if (down?.notice !== undefined) void takeNotice(down.notice, down.data);
}

/** @param {string} id @param {string} call @param {unknown[]} args */
async function answer(id, call, args) {
  if (call === 'debugger.sendCommand') focus.noteCommand(args);
  try {
    const result = await perform(call, args);
    toHub({ id, result: result ?? null });
  } catch (error) {
    toHub({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

/** What the hub tells without waiting for an answer. @param {string} notice @param {any} data */
async function takeNotice(notice, data) {
  if (notice === 'news') {
    news = data;
    await Promise.all([chrome.storage.session.set({ news }), attention.call(news), ...driven.list().map((tab) => showSign(tab.id, news))]);
  } else if (notice === 'rules') await netRules.replace(data);
  else if (notice === 'reload') chrome.runtime.reload();
  else if (notice === 'forgotten') {
    driven.clear();
    await chrome.storage.local.remove(['browser', 'key', 'name']);
  }
}

/** @param {number} tabId */
async function takeAway(tabId) {
  if (!driven.remove(tabId)) return;
  await chrome.debugger.detach({ tabId }).catch(() => {});
  await hideSign(tabId);
}

/** Let agents drive a tab of the user's, if it is one that can be driven. @param {number} tabId */
async function share(tabId) {
  const tab = await chrome.tabs.get(tabId);
  if (!canBeShared(tab.url ?? '') || isHubsPage(tab.url ?? '', (await settings()).server)) return false;
  driven.add(tabId, 'shared', Date.now());
  await showSign(tabId, news);
  return true;
}

/** @param {Request} request */
async function askedByPage(request) {
  await ready;
  await ensureLink();
  const id = request.tab ?? -1;
  if (request.ask === 'connect') {
    if (news.halted === 'stopped') toHub({ event: 'pilot.word', args: ['resume'] });
    if (!(await share(id))) return { problem: 'cannot be shared' };
    if (await wholeWindow()) await windows.open(id);
  } else if (request.ask === 'disconnect') {
    for (const tabId of await windows.close(id)) await takeAway(tabId);
    await takeAway(id);
  }
  else if (request.ask === 'word') toHub({ event: 'pilot.word', args: [request.word] });
  else if (request.ask === 'server') await chrome.storage.local.set({ server: request.server || DEFAULT_SERVER, off: false });
  else if (request.ask === 'off') await chrome.storage.local.set({ off: true });
  else if (request.ask === 'on') await chrome.storage.local.set({ off: false });
  return { tab: driven.get(id) ?? null, tabs: driven.list().length, news, wholeWindow: await wholeWindow() };
}

async function wholeWindow() {
  return Boolean((await chrome.storage.local.get({ wholeWindow: false })).wholeWindow);
}

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (sender.id !== chrome.runtime.id) return false;
  // Only our own pages, never a script in a web page.
  if (message?.to === 'worker' && sender.url?.startsWith(chrome.runtime.getURL(''))) {
    void askedByPage(message).then(reply);
    return true;
  }
  if (message?.to === 'sign' && sender.tab?.id !== undefined) {
    const tabId = sender.tab.id;
    if (message.ask === 'free') reply(focus.isUsersMouse(tabId));
    else if (driven.has(tabId) && focus.isUsersClick(tabId, message.x, message.y)) {
      toHub({ event: 'pilot.word', args: [message.word] });
    }
  }
  return false;
});

// A page of the hub itself, on this machine, may offer its code; the user sees whose it is and confirms.
chrome.runtime.onMessageExternal.addListener((message, sender, reply) => {
  const origin = sender.origin ?? '';
  if (typeof message?.pair !== 'string' || !/^http:\/\/(127\.0\.0\.1|localhost):\d+$/.test(origin)) return false;
  const pairingLink = { server: new URL(origin).host, code: message.pair.slice(0, 12) };
  void chrome.storage.session.set({ pairingLink }).then(() => chrome.runtime.openOptionsPage()).then(() => reply(true));
  return true;
});

chrome.storage.local.onChanged.addListener((changes) => {
  // Whoever forgets the pairing takes every tab away.
  if (changes.key && !changes.key.newValue) whenReady(() => void Promise.all(driven.list().map((tab) => takeAway(tab.id))));
  void settings().then((given) => passage?.send({ settings: given }));
});

chrome.debugger.onEvent.addListener((source, method, params) =>
  whenReady(() => {
    if (driven.has(source.tabId)) toHub({ event: 'debugger.onEvent', args: [source, method, params ?? {}] });
  }),
);
chrome.debugger.onDetach.addListener((source, reason) =>
  whenReady(() => {
    if (driven.has(source.tabId)) toHub({ event: 'debugger.onDetach', args: [source, reason] });
  }),
);
chrome.tabs.onRemoved.addListener((tabId) => whenReady(() => void driven.remove(tabId)));
chrome.tabs.onReplaced.addListener((to, from) => whenReady(() => driven.renumber(from, to)));
chrome.tabs.onUpdated.addListener((tabId, change) =>
  whenReady(() => {
    // Whoever drags a tab out of the agents' group takes it away from them.
    if (change.groupId === chrome.tabGroups.TAB_GROUP_ID_NONE && driven.get(tabId)?.kind === 'agent') void takeAway(tabId);
    if (change.url) void windows.noteTab(tabId);
  }),
);
chrome.tabs.onActivated.addListener((active) => focus.noteActive(active));
chrome.webNavigation.onCreatedNavigationTarget.addListener((details) =>
  whenReady(() => {
    const source = driven.get(details.sourceTabId);
    // A tab that the user opens from a shared page is the user's own.
    if (!source || (source.kind === 'shared' && !focus.isAgentAtWork(source.id))) return;
    driven.add(details.tabId, 'agent', Date.now(), details.sourceTabId);
    toHub({ event: 'webNavigation.onCreatedNavigationTarget', args: [details] });
    void focus.giveBack(details.tabId, details.sourceTabId);
  }),
);
for (const name of /** @type {const} */ (['onDOMContentLoaded', 'onErrorOccurred'])) {
  chrome.webNavigation[name].addListener((details) =>
    whenReady(() => {
      if (details.frameId === 0 && driven.has(details.tabId)) toHub({ event: `webNavigation.${name}`, args: [details] });
    }),
  );
}
chrome.webNavigation.onCommitted.addListener((details) =>
  whenReady(() => {
    if (details.frameId !== 0 || !driven.has(details.tabId)) return;
    void settings().then(({ server }) => {
      // Our own pages and the hub's are where the user answers: no agent may have a tab with one of them.
      const answers = details.url.startsWith('chrome-extension:') || isHubsPage(details.url, server);
      return answers ? takeAway(details.tabId) : showSign(details.tabId, news);
    });
  }),
);
attention.listen();
chrome.permissions.onAdded.addListener((added) => {
  if (added.permissions?.includes('notifications')) attention.listen();
});
chrome.runtime.onStartup.addListener(() => void ensureLink());
chrome.runtime.onInstalled.addListener(() => void ensureLink());
chrome.alarms.onAlarm.addListener(async () => {
  await ensureLink();
  await chrome.runtime.sendMessage({ to: 'link', ask: 'retry' }).catch(() => {});
});
void chrome.alarms.create(ALARM, { periodInMinutes: 0.5 });
void ensureLink();
