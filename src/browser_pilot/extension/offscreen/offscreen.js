/**
 * The offscreen document: holds the connection to the hub, because the service worker may end at any time and this page does not.
 *
 * Passes calls of the hub to the worker and results back. A call that the worker received and did not respond to before it ended is
 * reported as lost: its outcome is unknown, so it is not repeated.
 */

import { WorkerPort } from '../lib/worker_port.js';
import { HubConnection } from './hub_connection.js';

const PROBE_TIMEOUT_MS = 2_000;

const instance = crypto.randomUUID();
/** The extension's version, sent by the worker: chrome.runtime.getManifest is missing here. */
let version = '';
/** @type {WorkerPort | null} */
let workerPort = null;
/** Channels from the worker by name; the worker also sends the name on its port, so that none of an earlier worker is used. @type {Map<string, MessagePort>} */
const channels = new Map();
/** The channel that the current worker announced on its port. */
let announcedChannel = '';
/** Calls that the worker has not responded to yet. @type {Set<string>} */
const inFlight = new Set();

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
  onMessage: (message) => {
    if (message.id !== undefined) inFlight.add(message.id);
    worker().send({ fromHub: message });
  },
  onConnected: () => worker().send({ connected: true }),
  onPaired: (credentials) => worker().send({ paired: credentials }),
  identity: () => ({ version, agent: navigator.userAgent, instance }),
});

/** The port to the worker; opening it starts the worker. */
function worker() {
  if (workerPort) return workerPort;
  const port = chrome.runtime.connect({ name: 'offscreen' });
  const opened = new WorkerPort(port, onWorkerMessage);
  workerPort = opened;
  announcedChannel = '';
  port.onMessage.addListener((message) => opened.onPortMessage(message));
  port.onDisconnect.addListener(() => {
    if (workerPort !== opened) return;
    workerPort = null;
    for (const id of inFlight) connection.send({ id, lost: true });
    inFlight.clear();
    worker();
  });
  return opened;
}

/** Uses the channel once both its name and the channel itself have arrived. */
function acceptAnnouncedChannel() {
  const channel = channels.get(announcedChannel);
  if (!channel) return;
  channels.clear();
  workerPort?.acceptChannel(channel);
}

/** @param {{ toHub?: Record<string, unknown>, settings?: import('./hub_connection.js').Settings, version?: string, channel?: string }} message */
function onWorkerMessage(message) {
  if (message.channel) {
    announcedChannel = message.channel;
    acceptAnnouncedChannel();
  }
  if (message.version) version = message.version;
  if (message.settings) connection.configure(message.settings);
  if (message.toHub) {
    if (typeof message.toHub.id === 'string') inFlight.delete(message.toHub.id);
    connection.send(message.toHub);
  }
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
  channels.set(data.channel, channel);
  acceptAnnouncedChannel();
});
navigator.serviceWorker.startMessages();
window.addEventListener('online', () => connection.retry());
worker();
