/** The connection to the hub, with a fake hub, clock and network. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HubConnection, PROTOCOL, SILENCE_TIMEOUT_MS } from '../../../src/browser_pilot/extension/offscreen/hub_connection.js';
import { deriveKey, proofOf } from '../../../src/browser_pilot/extension/offscreen/auth.js';
import { importKey } from '../../../src/browser_pilot/extension/lib/key_material.js';

const KEY = await importKey('c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I');
const OTHER_KEY = await importKey('b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItb3Q');
const PAIRED = { server: '127.0.0.1:1', browser: 'b1' };

/** Runs pending promise callbacks. */
const runPending = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

class FakeHub {
  constructor() {
    this.time = 0;
    this.timers = new Map();
    this.number = 0;
    this.sockets = [];
    this.received = [];
    this.responds = true;
    this.connections = 0;
    this.keys = new Map([['b1', KEY]]);
    this.connection = new HubConnection({
      openSocket: () => this.socket(),
      probe: async () => this.responds,
      now: () => this.time,
      setTimer: (callback, ms) => (this.timers.set(++this.number, { callback, at: this.time + ms }), this.number),
      clearTimer: (timer) => this.timers.delete(timer),
      random: () => 1,
      onMessage: (message) => this.received.push(message),
      onConnected: () => this.connections++,
      loadKey: async (browser) => this.keys.get(browser) ?? null,
      onPaired: async (pairing, key) => {
        this.pairing = pairing;
        this.keys.set(pairing.browser, key);
      },
      identity: () => ({ version: '1', agent: 'test', instance: 'i', halted: 'paused' }),
    });
  }

  socket() {
    const socket = { sent: [], closed: false, send: (text) => socket.sent.push(JSON.parse(text)), close: () => (socket.closed = true) };
    this.sockets.push(socket);
    queueMicrotask(() => socket.onopen?.());
    return socket;
  }

  get last() {
    return this.sockets.at(-1);
  }

  async advance(ms) {
    const end = this.time + ms;
    for (;;) {
      const next = [...this.timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!next) break;
      this.timers.delete(next[0]);
      this.time = next[1].at;
      next[1].callback();
      await runPending();
    }
    this.time = end;
  }

  /** The hub's side of the handshake. */
  async acceptHandshake(key = KEY, code = '') {
    await runPending();
    const hello = this.last.sent[0];
    const handshake = { browser: hello.browser ?? 'b9', browserNonce: hello.nonce, hubNonce: 'hub' };
    const known = code ? await deriveKey(code, handshake) : key;
    this.send({ type: 'challenge', nonce: 'hub', browser: handshake.browser, proof: await proofOf(known, 'hub', handshake) });
    await waitUntil(() => this.last.sent.length > 1 || this.last.closed);
    const reply = this.last.sent[1];
    if (reply?.proof === (await proofOf(known, 'browser', handshake))) this.send({ type: 'welcome', name: 'Chrome' });
    await runPending();
  }

  send(message) {
    this.last.onmessage?.({ data: JSON.stringify(message) });
  }
}

async function waitUntil(condition) {
  for (let i = 0; i < 2_000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function connected() {
  const hub = new FakeHub();
  hub.connection.configure(PAIRED);
  await hub.acceptHandshake();
  assert.equal(hub.connection.status().phase, 'connected');
  return hub;
}

test('a paired browser is connected once both sides have proved the key', async () => {
  const hub = await connected();
  assert.equal(hub.last.sent[0].protocol, PROTOCOL);
  assert.equal(hub.connections, 1);
});

test('without a pairing there is no attempt', async () => {
  const hub = new FakeHub();
  hub.connection.configure({ server: '127.0.0.1:1' });
  await runPending();
  assert.equal(hub.connection.status().phase, 'unpaired');
  assert.equal(hub.sockets.length, 0);
});

test('a pairing whose key is gone is reported, and nothing is sent', async () => {
  const hub = new FakeHub();
  hub.keys.clear();
  hub.connection.configure(PAIRED);
  await runPending();
  assert.equal(hub.connection.status().phase, 'rejected');
  assert.match(hub.connection.status().problem, /key is missing/);
  assert.equal(hub.sockets.length, 0);
});

test('a server that cannot prove the key is rejected and gets no proof', async () => {
  const hub = new FakeHub();
  hub.connection.configure(PAIRED);
  await hub.acceptHandshake(OTHER_KEY);
  assert.equal(hub.connection.status().phase, 'rejected');
  assert.equal(hub.sockets[0].sent.length, 1);
});

test('a code pairs, and the derived key is kept', async () => {
  const hub = new FakeHub();
  const pairing = hub.connection.pair('K7QW-3M9T', '127.0.0.1:1');
  await hub.acceptHandshake(KEY, 'k7qw3m9t');
  await pairing;
  assert.equal(hub.connection.status().phase, 'connected');
  assert.equal(hub.pairing.browser, 'b9');
  hub.last.onclose();
  await hub.advance(200);
  await hub.acceptHandshake(hub.keys.get('b9'));
  assert.equal(hub.connection.status().phase, 'connected');
});

test('a wrong code is reported, and nothing is kept', async () => {
  const hub = new FakeHub();
  const pairing = assert.rejects(hub.connection.pair('AAAA-AAAA', '127.0.0.1:1'), /not the code/);
  await hub.acceptHandshake(KEY, 'BBBB-BBBB');
  await pairing;
  assert.equal(hub.connection.status().phase, 'unpaired');
  assert.equal(hub.pairing, undefined);
});

test('the reason of a rejection is shown', async () => {
  const hub = new FakeHub();
  hub.connection.configure(PAIRED);
  await runPending();
  hub.send({ type: 'refused', message: 'Update the extension.' });
  await runPending();
  assert.deepEqual([hub.connection.status().phase, hub.connection.status().problem], ['rejected', 'Update the extension.']);
});

test('messages of one turn share a frame, in order', async () => {
  const hub = await connected();
  for (let n = 0; n < 3; n++) hub.connection.send({ event: 'e', args: [n] });
  await runPending();
  assert.deepEqual(hub.last.sent.at(-1), [0, 1, 2].map((n) => ({ event: 'e', args: [n] })));
});

test('a closed connection is reopened at once, and queued messages are sent in order', async () => {
  const hub = await connected();
  hub.last.onclose();
  assert.equal(hub.connection.status().phase, 'disconnected');
  hub.connection.send({ event: 'e', args: [1] });
  hub.connection.send({ event: 'e', args: [2] });
  await hub.advance(200);
  await hub.acceptHandshake();
  assert.equal(hub.connection.status().phase, 'connected');
  assert.deepEqual(hub.last.sent.at(-1), [{ event: 'e', args: [1] }, { event: 'e', args: [2] }]);
});

test('it never stops retrying, and reconnects within two seconds of the hub\'s return', async () => {
  const hub = await connected();
  hub.responds = false;
  hub.last.onclose();
  await hub.advance(300_000);
  assert.equal(hub.sockets.length, 1);
  hub.responds = true;
  await hub.advance(2_000);
  await hub.acceptHandshake();
  assert.equal(hub.connection.status().phase, 'connected');
});

test('retries back off exponentially', async () => {
  const hub = new FakeHub();
  hub.responds = false;
  const attempts = [];
  const probe = hub.connection.env.probe;
  hub.connection.env.probe = (url) => (attempts.push(hub.time), probe(url));
  hub.connection.configure(PAIRED);
  await runPending();
  await hub.advance(5_000);
  const gaps = attempts.slice(1).map((time, i) => time - attempts[i]);
  assert.deepEqual(gaps.slice(0, 5), [100, 200, 400, 800, 1_500]);
});

test('a silent hub counts as disconnected', async () => {
  const hub = await connected();
  hub.time += SILENCE_TIMEOUT_MS + 1;
  assert.equal(hub.connection.status().phase, 'disconnected');
  await hub.advance(SILENCE_TIMEOUT_MS);
  assert.notEqual(hub.connection.phase, 'connected');
});

test('a ping gets a pong and is not passed on', async () => {
  const hub = await connected();
  hub.last.onmessage({ data: '[{"ping":7},{"id":"1","call":"tabs.get","args":[1]}]' });
  await runPending();
  assert.deepEqual(hub.last.sent.at(-1), [{ pong: 7 }]);
  assert.deepEqual(hub.received, [{ id: '1', call: 'tabs.get', args: [1] }]);
});

test('unchanged settings keep the connection; changed ones close it', async () => {
  const hub = await connected();
  hub.connection.configure({ ...PAIRED, off: false });
  assert.equal(hub.last.closed, false);
  hub.connection.configure({ ...PAIRED, off: true });
  assert.equal(hub.last.closed, true);
  assert.equal(hub.connection.status().phase, 'off');
});

test('a full queue is dropped, and the hub is notified', async () => {
  const hub = await connected();
  hub.last.onclose();
  for (let n = 0; n < 5_002; n++) hub.connection.send({ event: 'e', args: [n] });
  await hub.advance(200);
  await hub.acceptHandshake();
  assert.deepEqual(hub.last.sent.at(-1)[0], { event: 'events.dropped', args: [] });
});

test('turned off and on again, it connects', async () => {
  const hub = await connected();
  hub.connection.configure({ ...PAIRED, off: true });
  hub.connection.configure({ ...PAIRED, off: false });
  await runPending();
  await hub.acceptHandshake();
  assert.equal(hub.connection.status().phase, 'connected');
});

test('a response resolves the request with its id, and no other', async () => {
  const hub = await connected();
  const response = hub.connection.request('state', { url: 'u' });
  await runPending();
  const [{ event, args: [id, name, params] }] = hub.last.sent.at(-1);
  assert.deepEqual([event, name, params], ['ui.request', 'state', { url: 'u' }]);
  hub.last.onmessage({ data: JSON.stringify([{ notice: 'ui.response', data: { id: 'another', result: 1 } }, { notice: 'ui.response', data: { id, result: 2 } }]) });
  assert.deepEqual(await response, { id, result: 2 });
  assert.deepEqual(hub.received, []);
});

test('a request to a closed, missing or silent hub resolves with the reason', async () => {
  const hub = await connected();
  const closed = hub.connection.request('state', {});
  hub.last.onclose();
  assert.match((await closed).error, /closed/);
  assert.match((await hub.connection.request('state', {})).error, /not connected/);
  await hub.advance(200);
  await hub.acceptHandshake();
  const silent = hub.connection.request('state', {});
  await hub.advance(10_001);
  assert.match((await silent).error, /does not respond/);
});
