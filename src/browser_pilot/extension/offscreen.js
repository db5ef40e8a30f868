/**
 * Holds the connection to the hub in a page of its own, because the service worker may die at any moment and this page does not.
 *
 * Passes calls to the worker and its answers back. A call that the worker took and never answered, because it died, is reported as
 * lost: nobody knows whether it happened, so nobody makes it again.
 */

import { Link } from './link.js';

const PROBE_MS = 2_000;

const instance = crypto.randomUUID();
/** The extension's version, as the worker tells it: this page may not ask. */
let version = '';
/** @type {chrome.runtime.Port | null} */
let port = null;
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
    worker().postMessage({ down: message });
  },
  connected: () => worker().postMessage({ connected: true }),
  paired: (credentials) => worker().postMessage({ paired: credentials }),
  self: () => ({ version, agent: navigator.userAgent, instance }),
});

/** The way to the worker; opening it wakes the worker up. */
function worker() {
  if (port) return port;
  const opened = chrome.runtime.connect({ name: 'link' });
  port = opened;
  opened.onMessage.addListener(fromWorker);
  opened.onDisconnect.addListener(() => {
    if (port !== opened) return;
    port = null;
    for (const id of underWay) link.send({ id, lost: true });
    underWay.clear();
    worker();
  });
  return opened;
}

/** @param {{ up?: Record<string, unknown>, settings?: import('./link.js').Settings, version?: string }} message */
function fromWorker(message) {
  if (message.version) version = message.version;
  if (message.settings) link.configure(message.settings);
  if (message.up) {
    if (typeof message.up.id === 'string') underWay.delete(message.up.id);
    link.send(message.up);
  }
}

/** @param {{ to?: string, ask?: string, code?: string, server?: string }} message */
async function answer(message) {
  if (message.ask === 'pair') {
    try {
      await link.pair(message.code ?? '', message.server ?? '');
      return { paired: true };
    } catch (error) {
      return { paired: false, problem: error instanceof Error ? error.message : String(error) };
    }
  }
  if (message.ask === 'retry') link.retry();
  return link.status();
}

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (message?.to !== 'link' || sender.id !== chrome.runtime.id) return false;
  void answer(message).then(reply);
  return true;
});
window.addEventListener('online', () => link.retry());
worker();
