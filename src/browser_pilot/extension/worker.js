/**
 * The service worker: a thin pipe between the hub and chrome.*. What an agent does is decided in the hub; which tabs exist for it is
 * decided here.
 *
 * It may die and come back at any time. Every listener is registered at once, and every handler waits for `ready`.
 */

import { chromeCalls } from './chrome_calls.js';
import { DrivenTabs } from './driven_tabs.js';
import { FocusKeeper } from './focus_keeper.js';
import { NetRules } from './net_rules.js';
import { hideSign, showSign } from './signs.js';

const DEFAULT_SERVER = '127.0.0.1:8777';
const ALARM = 'look for the hub';

/** @typedef {{ to?: string, ask?: string, tab?: number, server?: string, word?: string }} Request */

/** @type {chrome.runtime.Port | null} */
let port = null;
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
const perform = chromeCalls(driven);
const ready = Promise.all([driven.load(), netRules.load(), focus.look()]).then(() => {
  netRules.tabs = driven.list().map((tab) => tab.id);
  isReady = true;
});

/** Keeps the order of events: nothing overtakes what came before the worker was ready. @param {() => void} work */
function whenReady(work) {
  if (isReady) work();
  else void ready.then(work);
}

/** @param {Record<string, unknown>} message */
function toHub(message) {
  if (port) port.postMessage({ up: message });
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
  port = opened;
  opened.onMessage.addListener((message) => whenReady(() => fromLink(message)));
  opened.onDisconnect.addListener(() => {
    if (port === opened) port = null;
  });
  void settings().then((given) => opened.postMessage({ settings: given, version: chrome.runtime.getManifest().version }));
  for (const message of outbox.splice(0)) opened.postMessage({ up: message });
});

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
    await Promise.all(driven.list().map((tab) => showSign(tab.id, news)));
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

/** @param {Request} request */
async function askedByPage(request) {
  await ready;
  await ensureLink();
  const id = request.tab ?? -1;
  if (request.ask === 'connect') {
    const tab = await chrome.tabs.get(id);
    if (!/^(https?:|about:blank)/.test(tab.url ?? '')) return { problem: 'cannot be shared' };
    if (news.halted === 'stopped') toHub({ event: 'pilot.word', args: ['resume'] });
    driven.add(id, 'shared', Date.now());
    await showSign(id, news);
  } else if (request.ask === 'disconnect') await takeAway(id);
  else if (request.ask === 'word') toHub({ event: 'pilot.word', args: [request.word] });
  else if (request.ask === 'server') await chrome.storage.local.set({ server: request.server || DEFAULT_SERVER, off: false });
  else if (request.ask === 'off') await chrome.storage.local.set({ off: true });
  else if (request.ask === 'on') await chrome.storage.local.set({ off: false });
  return { tab: driven.get(id) ?? null, tabs: driven.list().length, news };
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

chrome.storage.local.onChanged.addListener(() => {
  void settings().then((given) => port?.postMessage({ settings: given }));
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
    if (details.frameId === 0 && driven.has(details.tabId)) void showSign(details.tabId, news);
  }),
);
chrome.runtime.onStartup.addListener(() => void ensureLink());
chrome.runtime.onInstalled.addListener(() => void ensureLink());
chrome.alarms.onAlarm.addListener(async () => {
  await ensureLink();
  await chrome.runtime.sendMessage({ to: 'link', ask: 'retry' }).catch(() => {});
});
void chrome.alarms.create(ALARM, { periodInMinutes: 0.5 });
void ensureLink();
