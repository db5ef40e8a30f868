/**
 * The connection to the hub: finds it, proves itself, carries messages both ways, and comes back whenever it is cut.
 *
 * Its life: idle until it has a server and a key; then it looks for the hub, greets it, and is connected until the socket closes or
 * the hub falls silent; then it looks again, without end. `stop` ends it. Messages that come up while it is briefly away are kept in
 * order and sent afterwards. It knows neither chrome.* nor what the messages mean.
 */

import { freshNonce, keyFromCode, proofOf, sameProof } from './proofs.js';

export const PROTOCOL = 1;
export const SILENCE_MS = 12_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1_500;
const PATIENT_WAIT_MS = 10_000;
const PATIENT_AFTER_MS = 600_000;
const REFUSED_WAIT_MS = 10_000;
const MOST_KEPT = 5_000;
const ANSWER_MS = 10_000;

/** @typedef {'unpaired' | 'off' | 'away' | 'greeting' | 'connected' | 'refused'} Phase */
/** @typedef {{ id?: string, call?: string, args?: unknown[], ping?: number, notice?: string, data?: unknown }} Down */
/** @typedef {Record<string, unknown>} Up */
/** @typedef {{ id?: string, result?: unknown, error?: string }} Told */
/** @typedef {{ server: string, browser: string, key: string }} Credentials */
/** @typedef {{ server: string, browser?: string, key?: string, off?: boolean }} Settings */
/** @typedef {Pick<WebSocket, 'send' | 'close' | 'onmessage' | 'onclose' | 'onopen'>} Socket */
/**
 * @typedef {object} Surroundings
 * @property {(url: string) => Socket} open
 * @property {(url: string) => Promise<boolean>} probe whether anything answers there
 * @property {() => number} now
 * @property {(work: () => void, ms: number) => number} later
 * @property {(timer: number) => void} cancel
 * @property {() => number} random
 * @property {(message: Down) => void} receive
 * @property {() => void} connected
 * @property {(credentials: Credentials & { name: string }) => void} paired
 * @property {() => { version: string, agent: string, instance: string }} self
 */

export class Link {
  /** @param {Surroundings} surroundings */
  constructor(surroundings) {
    this.around = surroundings;
    /** @type {Settings} */
    this.settings = { server: '' };
    /** @type {Phase} */
    this.phase = 'unpaired';
    this.problem = '';
    this.name = '';
    this.down = 0;
    this.up = 0;
    this.since = 0;
    this.heard = 0;
    this.retryAt = 0;
    this.awaySince = 0;
    this.attempts = 0;
    /** @type {Socket | null} */
    this.socket = null;
    /** @type {number | null} */
    this.timer = null;
    /** @type {Up[]} */
    this.outbox = [];
    this.flushing = false;
    this.overflowed = false;
    this.pairing = false;
    /** What pages asked the hub and it did not answer yet. @type {Map<string, (told: Told) => void>} */
    this.asked = new Map();
  }

  /** Take these settings; a change of server or key begins anew. @param {Settings} settings */
  configure(settings) {
    if (this.pairing) return;
    const same = isSame(this.settings, settings);
    this.settings = settings;
    if (same && this.phase !== 'unpaired') return;
    this.drop();
    if (settings.off) this.become('off');
    else if (!settings.key) this.become('unpaired');
    else {
      this.become('away');
      this.retry();
    }
  }

  /** Connect now rather than later: the browser woke up, the network is back, or someone is looking. */
  retry() {
    if (this.phase === 'connected' && this.around.now() - this.heard > SILENCE_MS) this.lost('The hub fell silent.');
    if (['connected', 'greeting', 'off'].includes(this.phase) || !this.settings.key) return;
    this.attempts = 0;
    void this.look();
  }

  /** What there is to tell about the connection. */
  status() {
    const silent = this.phase === 'connected' && this.around.now() - this.heard > SILENCE_MS;
    return {
      phase: silent ? /** @type {Phase} */ ('away') : this.phase,
      problem: this.problem,
      server: this.settings.server,
      name: this.name,
      since: this.since,
      retryAt: this.retryAt,
      down: this.down,
      up: this.up,
    };
  }

  /** Send as soon as there is a connection. @param {Up} message */
  send(message) {
    if (this.phase !== 'connected' && !this.settings.key) return;
    if (this.outbox.length >= MOST_KEPT) {
      this.outbox = [];
      this.overflowed = true;
    }
    this.outbox.push(message);
    if (this.flushing) return;
    this.flushing = true;
    // Whatever comes up in the same turn travels together.
    queueMicrotask(() => this.flush());
  }

  /** Ask the hub something in the user's name; tells what it answers, or why it cannot. @param {string} name @param {unknown} params @returns {Promise<Told>} */
  ask(name, params) {
    if (this.status().phase !== 'connected') return Promise.resolve({ error: 'The hub is not connected.' });
    const id = crypto.randomUUID();
    return new Promise((resolve) => {
      const limit = this.around.later(() => this.told({ id, error: 'The hub does not answer.' }), ANSWER_MS);
      this.asked.set(id, (told) => {
        this.around.cancel(limit);
        resolve(told);
      });
      this.send({ event: 'pilot.ask', args: [id, name, params] });
    });
  }

  /** @param {Told} told */
  told(told) {
    const answer = this.asked.get(told.id ?? '');
    this.asked.delete(told.id ?? '');
    answer?.(told);
  }

  /** Pair with the hub by the code that it shows. Rejects with a sentence for the user. @param {string} code @param {string} server @returns {Promise<void>} */
  async pair(code, server) {
    this.drop();
    this.become('greeting');
    this.settings = { server };
    this.pairing = true;
    try {
      const answer = await this.greet(server, undefined, code);
      this.settings = { server, browser: answer.browser, key: answer.key };
      this.around.paired({ server, browser: answer.browser, key: answer.key, name: answer.name });
      this.welcome(answer.name);
    } catch (error) {
      this.drop();
      this.become('unpaired', sentence(error));
      throw error;
    } finally {
      this.pairing = false;
    }
  }

  drop() {
    if (this.timer !== null) this.around.cancel(this.timer);
    this.timer = null;
    const socket = this.socket;
    this.socket = null;
    if (socket) {
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
    }
    if (this.phase === 'connected') this.become('away');
    for (const id of [...this.asked.keys()]) this.told({ id, error: 'The connection to the hub was cut.' });
  }

  /** @param {Phase} phase @param {string} [problem] */
  become(phase, problem = '') {
    this.phase = phase;
    this.problem = problem;
    this.retryAt = 0;
    if (phase !== 'connected') this.since = 0;
  }

  async look() {
    this.drop();
    const { server, browser, key } = this.settings;
    if (!browser || !key) return;
    if (!this.awaySince) this.awaySince = this.around.now();
    this.become('greeting');
    const settings = this.settings;
    // A socket that cannot connect makes Chrome slow down the ones after it; a request does not.
    const there = await this.around.probe(`http://${server}/health`);
    if (settings !== this.settings || this.phase !== 'greeting') return;
    if (!there) return this.lost(`No hub answers at ${server}.`);
    try {
      const answer = await this.greet(server, { browser, key });
      if (settings === this.settings) this.welcome(answer.name);
    } catch (error) {
      if (settings !== this.settings) return;
      if (error instanceof Refusal) {
        this.drop();
        this.become('refused', error.message);
        this.wait(REFUSED_WAIT_MS);
      } else this.lost(sentence(error));
    }
  }

  /**
   * Open a socket and prove each other's key.
   * @param {string} server @param {{ browser: string, key: string } | undefined} known @param {string} [code]
   * @returns {Promise<{ browser: string, key: string, name: string }>}
   */
  greet(server, known, code = '') {
    const browserNonce = freshNonce();
    const socket = this.around.open(`ws://${server}/bridge`);
    this.socket = socket;
    return new Promise((resolve, reject) => {
      let browser = known?.browser ?? '';
      let key = known?.key ?? '';
      const limit = this.around.later(() => fail(new Error('The hub did not answer the greeting.')), SILENCE_MS);
      /** @param {unknown} error */
      const fail = (error) => {
        this.around.cancel(limit);
        socket.onclose = null;
        socket.close();
        reject(error);
      };
      socket.onclose = () => fail(new Error('The hub closed the connection.'));
      socket.onopen = () => {
        const { version, agent, instance } = this.around.self();
        socket.send(JSON.stringify({ type: 'hello', protocol: PROTOCOL, version, agent, instance, nonce: browserNonce, browser: browser || null }));
      };
      socket.onmessage = async (event) => {
        try {
          const message = JSON.parse(event.data);
          if (message.type === 'refused') return fail(new Refusal(String(message.message)));
          if (message.type === 'welcome') {
            this.around.cancel(limit);
            return resolve({ browser, key, name: String(message.name) });
          }
          if (message.type !== 'challenge') return fail(new Error('The hub answered in a way that makes no sense.'));
          browser ||= String(message.browser);
          const exchange = { browser, browserNonce, hubNonce: String(message.nonce) };
          if (!known) key = await keyFromCode(code, exchange);
          if (!sameProof(await proofOf(key, 'hub', exchange), String(message.proof))) {
            return fail(new Refusal(known ? 'Whoever answers at this address is not your hub.' : 'That is not the code that the hub shows.'));
          }
          return socket.send(JSON.stringify({ type: 'proof', proof: await proofOf(key, 'browser', exchange) }));
        } catch (error) {
          return fail(error);
        }
      };
    });
  }

  /** @param {string} name */
  welcome(name) {
    const socket = this.socket;
    if (!socket) return;
    this.become('connected');
    this.name = name;
    this.attempts = 0;
    this.awaySince = 0;
    this.since = this.heard = this.around.now();
    socket.onclose = () => this.lost('The connection to the hub was cut.');
    socket.onmessage = (event) => this.take(event.data);
    this.watch();
    if (this.overflowed) this.outbox.unshift({ event: 'pilot.gap', args: [] });
    this.overflowed = false;
    this.around.connected();
    this.flush();
  }

  /** @param {string} text */
  take(text) {
    this.heard = this.around.now();
    for (const message of /** @type {Down[]} */ (JSON.parse(text))) {
      if (message.ping !== undefined) {
        this.send({ pong: message.ping });
        continue;
      }
      this.down++;
      if (message.notice === 'told') this.told(/** @type {Told} */ (message.data));
      else this.around.receive(message);
    }
  }

  /** Notice a hub that fell silent without closing. */
  watch() {
    this.timer = this.around.later(() => {
      if (this.around.now() - this.heard > SILENCE_MS) this.lost('The hub fell silent.');
      else this.watch();
    }, SILENCE_MS / 4);
  }

  /** @param {string} problem */
  lost(problem) {
    this.drop();
    this.become('away', problem);
    const now = this.around.now();
    if (!this.awaySince) this.awaySince = now;
    const longest = now - this.awaySince > PATIENT_AFTER_MS ? PATIENT_WAIT_MS : LONGEST_WAIT_MS;
    const wait = Math.min(longest, FIRST_WAIT_MS * 2 ** this.attempts++);
    this.wait(wait * (0.5 + this.around.random() / 2));
  }

  /** @param {number} ms */
  wait(ms) {
    this.retryAt = this.around.now() + ms;
    this.timer = this.around.later(() => void this.look(), ms);
  }

  flush() {
    this.flushing = false;
    if (this.phase !== 'connected' || !this.socket || this.outbox.length === 0) return;
    const messages = this.outbox;
    this.outbox = [];
    this.up += messages.filter((message) => !('pong' in message)).length;
    this.socket.send(JSON.stringify(messages));
  }
}

/** The hub said no, in words for the user. */
export class Refusal extends Error {}

/** @param {Settings} a @param {Settings} b */
function isSame(a, b) {
  return a.server === b.server && (a.browser || '') === (b.browser || '') && (a.key || '') === (b.key || '') && !a.off === !b.off;
}

/** @param {unknown} error */
function sentence(error) {
  return error instanceof Error ? error.message : String(error);
}
