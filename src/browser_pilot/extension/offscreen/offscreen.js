/**
 * The offscreen document: holds the connection to the hub, because the service worker may end at any time and this page does not.
 *
 * Passes calls of the hub to the worker and results back.
 */

import { loadPairingKey, savePairingKey } from '../lib/pairing_key.js';
import { HubConnection } from './hub_connection.js';
import { ServiceWorkerConnection } from './service_worker_connection.js';

const PROBE_TIMEOUT_MS = 2_000;

const instance = crypto.randomUUID();
/** The extension's version, sent by the worker: chrome.runtime.getManifest is missing here. */
let version = '';
/** The user's Pause or Stop, which the worker enforces. */
let halted = '';

const worker = new ServiceWorkerConnection({
  connect: () => chrome.runtime.connect({ name: 'offscreen' }),
  onMessage: onWorkerMessage,
  onLost: (id) => connection.send({ id, lost: true }),
});

const connection = new HubConnection({
  openSocket: (url) => new WebSocket(url),
  probe: async (url) => {
    try {
      await fetch(url, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      return true;
    } catch {
      return false;
    }
  },
  now: () => Date.now(),
  setTimer: (callback, ms) => window.setTimeout(callback, ms),
  clearTimer: (timer) => window.clearTimeout(timer),
  random: Math.random,
  onMessage: (message) => worker.forward(message),
  onConnected: () => worker.send({ connected: true }),
  loadKey: loadPairingKey,
  onPaired: async (pairing, key) => {
    await savePairingKey(pairing.browser, key);
    worker.send({ paired: pairing });
  },
  identity: () => ({ version, agent: navigator.userAgent, instance, halted }),
});

/** @param {{ toHub?: Record<string, unknown>, settings?: import('./hub_connection.js').Settings & { halted: string }, version?: string }} message */
function onWorkerMessage(message) {
  if (message.version) version = message.version;
  if (message.settings) {
    halted = message.settings.halted;
    connection.configure(message.settings);
  }
  if (message.toHub) connection.send(message.toHub);
}

/** @param {{ to?: string, type?: string, code?: string, server?: string, name?: string, params?: unknown }} message */
async function onPageRequest(message) {
  if (message.type === 'pair') {
    try {
      await connection.pair(message.code ?? '', message.server ?? '');
      return { paired: true };
    } catch (error) {
      return { paired: false, problem: error instanceof Error ? error.message : String(error) };
    }
  }
  if (message.type === 'hub_request') return connection.request(message.name ?? '', message.params ?? {});
  if (message.type === 'retry') connection.retry();
  return connection.status();
}

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  // Only pages of the extension, never a content script: they act for the user.
  if (message?.to !== 'offscreen' || sender.id !== chrome.runtime.id || sender.origin !== location.origin) return false;
  void onPageRequest(message).then(reply);
  return true;
});
navigator.serviceWorker.addEventListener('message', ({ data, ports: [channel] }) => {
  if (typeof data?.channel !== 'string' || !channel) return;
  worker.addChannel(data.channel, channel);
});
navigator.serviceWorker.startMessages();
window.addEventListener('online', () => connection.retry());
worker.open();
