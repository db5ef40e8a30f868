/**
 * The offscreen document's connection to the service worker, which Chrome may end at any time.
 *
 * Opening the port starts the worker. When the worker dies, each call that it received and did not answer is reported as lost: its
 * outcome is unknown, so it is not repeated. A new port then starts the next worker. Lives as long as the offscreen document.
 */

import { WorkerPort } from '../lib/worker_port.js';

/** @typedef {{ id?: string }} HubMessage */
/** @typedef {{ channel?: string, toHub?: HubMessage }} WorkerMessage */
/**
 * @typedef {{
 *   connect(): chrome.runtime.Port,
 *   onMessage(message: any): void,
 *   onLost(id: string): void,
 * }} Environment
 */

export class ServiceWorkerConnection {
  /** @param {Environment} env */
  constructor(env) {
    this.env = env;
    /** @type {WorkerPort | null} */
    this.port = null;
    /** Channels from the worker by name; the worker also sends the name on its port, so that none of an earlier worker is used. @type {Map<string, MessagePort>} */
    this.channels = new Map();
    /** The channel that the current worker announced on its port. */
    this.announcedChannel = '';
    /** Calls that the worker has not answered yet. @type {Set<string>} */
    this.inFlight = new Set();
  }

  /** Starts the worker if it is not running. */
  open() {
    if (this.port) return this.port;
    const port = this.env.connect();
    const opened = new WorkerPort(port, (message) => this.receive(message));
    this.port = opened;
    this.announcedChannel = '';
    port.onMessage.addListener((message) => opened.onPortMessage(message));
    port.onDisconnect.addListener(() => this.onWorkerDeath(opened));
    return opened;
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    this.open().send(message);
  }

  /** Passes a message of the hub on; one with an id is a call. @param {HubMessage} message */
  forward(message) {
    if (message.id !== undefined) this.inFlight.add(message.id);
    this.send({ fromHub: message });
  }

  /** @param {string} name @param {MessagePort} channel */
  addChannel(name, channel) {
    this.channels.set(name, channel);
    this.acceptAnnouncedChannel();
  }

  /** @param {WorkerPort} port */
  onWorkerDeath(port) {
    if (this.port !== port) return;
    this.port = null;
    for (const id of this.inFlight) this.env.onLost(id);
    this.inFlight.clear();
    this.open();
  }

  /** @param {WorkerMessage} message */
  receive(message) {
    if (message.channel) {
      this.announcedChannel = message.channel;
      this.acceptAnnouncedChannel();
    }
    if (typeof message.toHub?.id === 'string') this.inFlight.delete(message.toHub.id);
    this.env.onMessage(message);
  }

  /** Uses the channel once both its name and the channel itself have arrived. */
  acceptAnnouncedChannel() {
    const channel = this.channels.get(this.announcedChannel);
    if (!channel) return;
    this.channels.clear();
    this.port?.acceptChannel(channel);
  }
}
