/**
 * The WebSocket connection to the hub: finds the hub, authenticates both sides, carries messages, and reconnects.
 *
 * Lifecycle: idle until it has a server and a pairing; then it probes the hub, does the handshake, and is connected until the socket closes
 * or the hub stops sending; then it retries without end. Messages to the hub are queued in order while it is disconnected. It uses no
 * chrome.* and does not interpret the messages, except responses to requests of the extension's pages.
 */

import { createNonce, deriveKey, proofOf, proofsEqual } from './auth.js';

export const PROTOCOL = 3;
export const SILENCE_TIMEOUT_MS = 12_000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 1_500;
/** After this time without a hub, retries become rarer. */
const LONG_ABSENCE_MS = 600_000;
const MAX_RETRY_LONG_ABSENCE_MS = 10_000;
const RETRY_REJECTED_MS = 10_000;
const MAX_QUEUED = 5_000;
const RESPONSE_TIMEOUT_MS = 10_000;

/** @typedef {'unpaired' | 'off' | 'disconnected' | 'connecting' | 'connected' | 'rejected'} Phase */
/** @typedef {{ id?: string, call?: string, args?: unknown[], ping?: number, notice?: string, data?: unknown }} Incoming */
/** @typedef {Record<string, unknown>} Outgoing */
/** @typedef {{ id?: string, result?: unknown, error?: string }} Response */
/** `browser` is the id of the pairing. @typedef {{ server: string, browser?: string, off?: boolean }} Settings */
/** @typedef {{ server: string, browser: string, name: string }} Pairing */
/** @typedef {Pick<WebSocket, 'send' | 'close' | 'onmessage' | 'onclose' | 'onopen'>} Socket */
/**
 * @typedef {object} Environment
 * @property {(url: string) => Socket} openSocket
 * @property {(url: string) => Promise<boolean>} probe whether a server responds at this URL
 * @property {() => number} now
 * @property {(callback: () => void, ms: number) => number} setTimer
 * @property {(timer: number) => void} clearTimer
 * @property {() => number} random
 * @property {(message: Incoming) => void} onMessage
 * @property {() => void} onConnected
 * @property {(browser: string) => Promise<CryptoKey | null>} loadKey
 * @property {(pairing: Pairing, key: CryptoKey) => Promise<void>} onPaired keeps the key and the pairing
 * @property {() => { version: string, agent: string, instance: string, halted: string }} identity
 */

export class HubConnection {
  /** @param {Environment} env */
  constructor(env) {
    this.env = env;
    /** @type {Settings} */
    this.settings = { server: '' };
    /** @type {Phase} */
    this.phase = 'unpaired';
    this.problem = '';
    this.name = '';
    this.received = 0;
    this.sent = 0;
    this.since = 0;
    this.lastReceivedAt = 0;
    this.retryAt = 0;
    this.disconnectedSince = 0;
    this.attempts = 0;
    /** @type {Socket | null} */
    this.socket = null;
    /** @type {number | null} */
    this.timer = null;
    /** @type {Outgoing[]} */
    this.outbox = [];
    this.flushing = false;
    this.overflowed = false;
    this.pairing = false;
    /** Requests of the extension's pages without a response yet. @type {Map<string, (response: Response) => void>} */
    this.requests = new Map();
  }

  /** Applies settings; a new server or pairing starts a new connection. @param {Settings} settings */
  configure(settings) {
    if (this.pairing) return;
    const unchanged = sameSettings(this.settings, settings);
    this.settings = settings;
    if (unchanged && this.phase !== 'unpaired') return;
    this.close();
    if (settings.off) this.setPhase('off');
    else if (!settings.browser) this.setPhase('unpaired');
    else {
      this.setPhase('disconnected');
      this.retry();
    }
  }

  /** Connects now instead of at the next retry: the browser woke up, the network is back, or the user opened a page of ours. */
  retry() {
    if (this.isSilent()) this.onLost('The hub stopped responding.');
    if (['connected', 'connecting', 'off'].includes(this.phase) || !this.settings.browser) return;
    this.attempts = 0;
    void this.connect();
  }

  status() {
    return {
      phase: this.isSilent() ? /** @type {Phase} */ ('disconnected') : this.phase,
      problem: this.problem,
      server: this.settings.server,
      name: this.name,
      since: this.since,
      retryAt: this.retryAt,
      received: this.received,
      sent: this.sent,
    };
  }

  isSilent() {
    return this.phase === 'connected' && this.env.now() - this.lastReceivedAt > SILENCE_TIMEOUT_MS;
  }

  /** Sends as soon as there is a connection. @param {Outgoing} message */
  send(message) {
    if (this.phase !== 'connected' && !this.settings.browser) return;
    if (this.outbox.length >= MAX_QUEUED) {
      this.outbox = [];
      this.overflowed = true;
    }
    this.outbox.push(message);
    if (this.flushing) return;
    this.flushing = true;
    // Messages of the same turn share one frame.
    queueMicrotask(() => this.flush());
  }

  /** Sends a request of the user to the hub; never rejects. @param {string} name @param {unknown} params @returns {Promise<Response>} */
  request(name, params) {
    if (this.status().phase !== 'connected') return Promise.resolve({ error: 'The hub is not connected.' });
    const id = crypto.randomUUID();
    return new Promise((resolve) => {
      const timer = this.env.setTimer(() => this.onResponse({ id, error: 'The hub does not respond.' }), RESPONSE_TIMEOUT_MS);
      this.requests.set(id, (response) => {
        this.env.clearTimer(timer);
        resolve(response);
      });
      this.send({ event: 'ui.request', args: [id, name, params] });
    });
  }

  /** @param {Response} response */
  onResponse(response) {
    const resolve = this.requests.get(response.id ?? '');
    this.requests.delete(response.id ?? '');
    resolve?.(response);
  }

  /** Pairs with the hub by the code that it shows. Rejects with a sentence for the user. @param {string} code @param {string} server @returns {Promise<void>} */
  async pair(code, server) {
    this.close();
    this.setPhase('connecting');
    this.settings = { server };
    this.pairing = true;
    try {
      const { browser, key, name } = await this.handshake(server, undefined, code);
      await this.env.onPaired({ server, browser, name }, key);
      this.settings = { server, browser };
      this.onConnected(name);
    } catch (error) {
      this.close();
      this.setPhase('unpaired', messageOf(error));
      throw error;
    } finally {
      this.pairing = false;
    }
  }

  close() {
    if (this.timer !== null) this.env.clearTimer(this.timer);
    this.timer = null;
    const socket = this.socket;
    this.socket = null;
    if (socket) {
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
    }
    if (this.phase === 'connected') this.setPhase('disconnected');
    for (const id of [...this.requests.keys()]) this.onResponse({ id, error: 'The connection to the hub was closed.' });
  }

  /** @param {Phase} phase @param {string} [problem] */
  setPhase(phase, problem = '') {
    this.phase = phase;
    this.problem = problem;
    this.retryAt = 0;
    if (phase !== 'connected') this.since = 0;
  }

  async connect() {
    this.close();
    const { server, browser } = this.settings;
    if (!browser) return;
    if (!this.disconnectedSince) this.disconnectedSince = this.env.now();
    this.setPhase('connecting');
    const settings = this.settings;
    // Chrome delays WebSockets after one that failed to connect, but not HTTP requests.
    const responds = await this.env.probe(`http://${server}/health`);
    if (settings !== this.settings || this.phase !== 'connecting') return;
    if (!responds) return this.onLost(`No hub responds at ${server}.`);
    try {
      const key = await this.env.loadKey(browser);
      if (settings !== this.settings) return;
      if (!key) throw new Rejection('The pairing key is missing in this browser. Unpair it in the options and pair it again.');
      const { name } = await this.handshake(server, { browser, key });
      if (settings === this.settings) this.onConnected(name);
    } catch (error) {
      if (settings !== this.settings) return;
      if (error instanceof Rejection) {
        this.close();
        this.setPhase('rejected', error.message);
        this.retryAfter(RETRY_REJECTED_MS);
      } else this.onLost(messageOf(error));
    }
  }

  /**
   * Opens a socket and authenticates both sides.
   * @param {string} server @param {{ browser: string, key: CryptoKey } | undefined} known @param {string} [code]
   * @returns {Promise<{ browser: string, key: CryptoKey, name: string }>}
   */
  handshake(server, known, code = '') {
    const browserNonce = createNonce();
    const socket = this.env.openSocket(`ws://${server}/bridge`);
    this.socket = socket;
    return new Promise((resolve, reject) => {
      let browser = known?.browser ?? '';
      let key = known?.key;
      const timer = this.env.setTimer(() => fail(new Error('The hub did not complete the handshake.')), SILENCE_TIMEOUT_MS);
      /** @param {unknown} error */
      const fail = (error) => {
        this.env.clearTimer(timer);
        socket.onclose = null;
        socket.close();
        reject(error);
      };
      socket.onclose = () => fail(new Error('The hub closed the connection.'));
      socket.onopen = () => {
        const { version, agent, instance, halted } = this.env.identity();
        socket.send(JSON.stringify({ type: 'hello', protocol: PROTOCOL, version, agent, instance, nonce: browserNonce, browser: browser || null, halted }));
      };
      socket.onmessage = async (event) => {
        try {
          const message = JSON.parse(event.data);
          if (message.type === 'refused') return fail(new Rejection(String(message.message)));
          if (message.type === 'welcome') {
            if (!key) return fail(new Error('The hub sent an unknown handshake message.'));
            this.env.clearTimer(timer);
            return resolve({ browser, key, name: String(message.name) });
          }
          if (message.type !== 'challenge') return fail(new Error('The hub sent an unknown handshake message.'));
          browser ||= String(message.browser);
          const handshake = { browser, browserNonce, hubNonce: String(message.nonce) };
          key = known?.key ?? (await deriveKey(code, handshake));
          if (!proofsEqual(await proofOf(key, 'hub', handshake), String(message.proof))) {
            return fail(new Rejection(known ? 'The server at this address is not your hub.' : 'That is not the code that the hub shows.'));
          }
          return socket.send(JSON.stringify({ type: 'proof', proof: await proofOf(key, 'browser', handshake) }));
        } catch (error) {
          return fail(error);
        }
      };
    });
  }

  /** @param {string} name */
  onConnected(name) {
    const socket = this.socket;
    if (!socket) return;
    this.setPhase('connected');
    this.name = name;
    this.attempts = 0;
    this.disconnectedSince = 0;
    this.since = this.lastReceivedAt = this.env.now();
    socket.onclose = () => this.onLost('The connection to the hub was closed.');
    socket.onmessage = (event) => this.onFrame(event.data);
    this.watchSilence();
    if (this.overflowed) this.outbox.unshift({ event: 'events.dropped', args: [] });
    this.overflowed = false;
    this.env.onConnected();
    this.flush();
  }

  /** @param {string} frame */
  onFrame(frame) {
    this.lastReceivedAt = this.env.now();
    for (const message of /** @type {Incoming[]} */ (JSON.parse(frame))) {
      if (message.ping !== undefined) {
        this.send({ pong: message.ping });
        continue;
      }
      this.received++;
      if (message.notice === 'ui.response') this.onResponse(/** @type {Response} */ (message.data));
      else this.env.onMessage(message);
    }
  }

  /** Detects a hub that stopped sending without closing the socket. */
  watchSilence() {
    this.timer = this.env.setTimer(() => {
      if (this.isSilent()) this.onLost('The hub stopped responding.');
      else this.watchSilence();
    }, SILENCE_TIMEOUT_MS / 4);
  }

  /** @param {string} problem */
  onLost(problem) {
    this.close();
    this.setPhase('disconnected', problem);
    const now = this.env.now();
    if (!this.disconnectedSince) this.disconnectedSince = now;
    const max = now - this.disconnectedSince > LONG_ABSENCE_MS ? MAX_RETRY_LONG_ABSENCE_MS : MAX_RETRY_MS;
    const delay = Math.min(max, MIN_RETRY_MS * 2 ** this.attempts++);
    this.retryAfter(delay * (0.5 + this.env.random() / 2));
  }

  /** @param {number} ms */
  retryAfter(ms) {
    this.retryAt = this.env.now() + ms;
    this.timer = this.env.setTimer(() => void this.connect(), ms);
  }

  flush() {
    this.flushing = false;
    if (this.phase !== 'connected' || !this.socket || this.outbox.length === 0) return;
    const messages = this.outbox;
    this.outbox = [];
    this.sent += messages.filter((message) => !('pong' in message)).length;
    this.socket.send(JSON.stringify(messages));
  }
}

/** The hub or its proof was rejected, with a sentence for the user. */
export class Rejection extends Error {}

/** @param {Settings} a @param {Settings} b */
function sameSettings(a, b) {
  return a.server === b.server && (a.browser || '') === (b.browser || '') && !a.off === !b.off;
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
