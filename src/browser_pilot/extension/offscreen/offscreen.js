/**
 * Holds the connection to the hub in a page of its own, because the service worker may die at any moment and this page does not.
 *
 * Passes calls to the worker and its answers back. A call that the worker took and never answered, because it died, is reported as
 * lost: nobody knows whether it happened, so nobody makes it again.
 */

import { Link } from './link.js';
import { Passage } from './passage.js';

const PROBE_MS = 2_000;

const instance = crypto.randomUUID();
/** The extension's version, as the worker tells it: this page may not ask. */
let version = '';
/** @type {Passage | null} */
let passage = null;
/** Channels that came from the worker, by the name that it also says on its port: none of an earlier worker is taken. @type {Map<string, MessagePort>} */
const channels = new Map();
/** The name that the worker at the other end of the port said. */
let wanted = '';
/** Calls that the worker has and did not answer yet. @type {Set<string>} */
const underWay = new Set();

const link = new Link({
  open: (url) => new WebSocket(url),
  probe: async (url) => {
    try {
      await fetch(url, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) });
      return true;
    } catch {
      return false;
    }
  },
  now: () => Date.now(),
  later: (work, ms) => window.setTimeout(work, ms),
  cancel: (timer) => window.clearTimeout(timer),
  random: Math.random,
  receive: (message) => {
    if (message.id !== undefined) underWay.add(message.id);
    worker().send({ down: message });
  },
  connected: () => worker().send({ connected: true }),
  paired: (credentials) => worker().send({ paired: credentials }),
  self: () => ({ version, agent: navigator.userAgent, instance }),
});

/** The way to the worker; opening it wakes the worker up. */
function worker() {
  if (passage) return passage;
  const opened = chrome.runtime.connect({ name: 'link' });
  const made = new Passage(opened, fromWorker);
  passage = made;
  wanted = '';
  opened.onMessage.addListener((message) => made.fromSlow(message));
  opened.onDisconnect.addListener(() => {
    if (passage !== made) return;
    passage = null;
    for (const id of underWay) link.send({ id, lost: true });
    underWay.clear();
    worker();
  });
  return made;
}

/** Use the channel once both its name and the channel itself are here. */
function takeChannel() {
  const channel = channels.get(wanted);
  if (!channel) return;
  channels.clear();
  passage?.open(channel);
}

/** @param {{ up?: Record<string, unknown>, settings?: import('./link.js').Settings, version?: string, channel?: string }} message */
function fromWorker(message) {
  if (message.channel) {
    wanted = message.channel;
    takeChannel();
  }
  if (message.version) version = message.version;
  if (message.settings) link.configure(message.settings);
  if (message.up) {
    if (typeof message.up.id === 'string') underWay.delete(message.up.id);
    link.send(message.up);
  }
}

/** @param {{ to?: string, ask?: string, code?: string, server?: string, name?: string, params?: unknown }} message */
async function answer(message) {
  if (message.ask === 'pair') {
    try {
      await link.pair(message.code ?? '', message.server ?? '');
      return { paired: true };
    } catch (error) {
      return { paired: false, problem: error instanceof Error ? error.message : String(error) };
    }
  }
  if (message.ask === 'hub') return link.ask(message.name ?? '', message.params ?? {});
  if (message.ask === 'retry') link.retry();
  return link.status();
}

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  // Only our own pages, never a script in a web page: they speak for the user.
  if (message?.to !== 'link' || sender.id !== chrome.runtime.id || sender.origin !== location.origin) return false;
  void answer(message).then(reply);
  return true;
});
navigator.serviceWorker.addEventListener('message', ({ data, ports: [channel] }) => {
  if (typeof data?.channel !== 'string' || !channel) return;
  channels.set(data.channel, channel);
  takeChannel();
});
navigator.serviceWorker.startMessages();
window.addEventListener('online', () => link.retry());
worker();
