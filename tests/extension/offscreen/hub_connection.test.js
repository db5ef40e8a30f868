/** The link to the hub, with a hub, a clock and a network made up by the test. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Link, PROTOCOL, SILENCE_MS } from '../../src/browser_pilot/extension/link.js';
import { keyFromCode, proofOf } from '../../src/browser_pilot/extension/proofs.js';

const KEY = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I';
const PAIRED = { server: '127.0.0.1:1', browser: 'b1', key: KEY };

/** Lets everything that was promised happen. */
const settle = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

class World {
  constructor() {
    this.time = 0;
    this.timers = new Map();
    this.number = 0;
    this.sockets = [];
    this.received = [];
    this.hubIsThere = true;
    this.connections = 0;
    this.link = new Link({
      open: () => this.socket(),
      probe: async () => this.hubIsThere,
      now: () => this.time,
      later: (work, ms) => (this.timers.set(++this.number, { work, at: this.time + ms }), this.number),
      cancel: (timer) => this.timers.delete(timer),
      random: () => 1,
      receive: (message) => this.received.push(message),
      connected: () => this.connections++,
      paired: (credentials) => (this.credentials = credentials),
      self: () => ({ version: '1', agent: 'test', instance: 'i' }),
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

  async pass(ms) {
    const end = this.time + ms;
    for (;;) {
      const next = [...this.timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!next) break;
      this.timers.delete(next[0]);
      this.time = next[1].at;
      next[1].work();
      await settle();
    }
    this.time = end;
  }

  /** Play the hub's part of the greeting. */
  async welcome(key = KEY, code = '') {
    await settle();
    const hello = this.last.sent[0];
    const exchange = { browser: hello.browser ?? 'b9', browserNonce: hello.nonce, hubNonce: 'hub' };
    const known = code ? await keyFromCode(code, exchange) : key;
    this.say({ type: 'challenge', nonce: 'hub', browser: exchange.browser, proof: await proofOf(known, 'hub', exchange) });
    await until(() => this.last.sent.length > 1 || this.last.closed);
    const answer = this.last.sent[1];
    if (answer?.proof === (await proofOf(known, 'browser', exchange))) this.say({ type: 'welcome', name: 'Chrome' });
    await settle();
  }

  say(message) {
    this.last.onmessage?.({ data: JSON.stringify(message) });
  }
}

async function until(happened) {
  for (let i = 0; i < 2_000 && !happened(); i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function connected() {
  const world = new World();
  world.link.configure(PAIRED);
  await world.welcome();
  assert.equal(world.link.status().phase, 'connected');
  return world;
}

test('a paired browser greets the hub by its protocol, and is connected once both have proved the key', async () => {
  const world = await connected();
  assert.equal(world.last.sent[0].protocol, PROTOCOL);
  assert.equal(world.connections, 1);
});

test('without a key nothing is tried', async () => {
  const world = new World();
  world.link.configure({ server: '127.0.0.1:1' });
  await settle();
  assert.equal(world.link.status().phase, 'unpaired');
  assert.equal(world.sockets.length, 0);
});

test('whoever cannot prove the key is not the hub, and gets no proof from us', async () => {
  const world = new World();
  world.link.configure(PAIRED);
  await world.welcome('b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItb3Q');
  assert.equal(world.link.status().phase, 'refused');
  assert.equal(world.sockets[0].sent.length, 1);
});

test('a code pairs, and the key that it stood for is kept', async () => {
  const world = new World();
  const pairing = world.link.pair('K7QW-3M9T', '127.0.0.1:1');
  await world.welcome('', 'k7qw3m9t');
  await pairing;
  assert.equal(world.link.status().phase, 'connected');
  assert.equal(world.credentials.browser, 'b9');
});

test('a wrong code is told, and nothing is kept', async () => {
  const world = new World();
  const pairing = assert.rejects(world.link.pair('AAAA-AAAA', '127.0.0.1:1'), /not the code/);
  await world.welcome('', 'BBBB-BBBB');
  await pairing;
  assert.equal(world.link.status().phase, 'unpaired');
  assert.equal(world.credentials, undefined);
});

test('the reason of a refusal is shown', async () => {
  const world = new World();
  world.link.configure(PAIRED);
  await settle();
  world.say({ type: 'refused', message: 'Update the extension.' });
  await settle();
  assert.deepEqual([world.link.status().phase, world.link.status().problem], ['refused', 'Update the extension.']);
});

test('messages of one turn travel together, and in order', async () => {
  const world = await connected();
  for (let n = 0; n < 3; n++) world.link.send({ event: 'e', args: [n] });
  await settle();
  assert.deepEqual(world.last.sent.at(-1), [0, 1, 2].map((n) => ({ event: 'e', args: [n] })));
});

test('a cut connection is made again at once, and what came up meanwhile is sent in order', async () => {
  const world = await connected();
  world.last.onclose();
  assert.equal(world.link.status().phase, 'away');
  world.link.send({ event: 'e', args: [1] });
  world.link.send({ event: 'e', args: [2] });
  await world.pass(200);
  await world.welcome();
  assert.equal(world.link.status().phase, 'connected');
  assert.deepEqual(world.last.sent.at(-1), [{ event: 'e', args: [1] }, { event: 'e', args: [2] }]);
});

test('it never gives up on a hub that is away, and is back within two seconds of its return', async () => {
  const world = await connected();
  world.hubIsThere = false;
  world.last.onclose();
  await world.pass(300_000);
  assert.equal(world.sockets.length, 1);
  world.hubIsThere = true;
  await world.pass(2_000);
  await world.welcome();
  assert.equal(world.link.status().phase, 'connected');
});

test('tries come further and further apart', async () => {
  const world = new World();
  world.hubIsThere = false;
  const tries = [];
  const probe = world.link.around.probe;
  world.link.around.probe = (url) => (tries.push(world.time), probe(url));
  world.link.configure(PAIRED);
  await settle();
  await world.pass(5_000);
  const gaps = tries.slice(1).map((time, i) => time - tries[i]);
  assert.deepEqual(gaps.slice(0, 5), [100, 200, 400, 800, 1_500]);
});

test('a hub that falls silent counts as gone, and is never shown as connected', async () => {
  const world = await connected();
  world.time += SILENCE_MS + 1;
  assert.equal(world.link.status().phase, 'away');
  await world.pass(SILENCE_MS);
  assert.notEqual(world.link.phase, 'connected');
});

test('a ping is answered and is not passed on', async () => {
  const world = await connected();
  world.last.onmessage({ data: '[{"ping":7},{"id":"1","call":"tabs.get","args":[1]}]' });
  await settle();
  assert.deepEqual(world.last.sent.at(-1), [{ pong: 7 }]);
  assert.deepEqual(world.received, [{ id: '1', call: 'tabs.get', args: [1] }]);
});

test('the same settings again change nothing; others begin anew', async () => {
  const world = await connected();
  world.link.configure({ ...PAIRED, off: false });
  assert.equal(world.last.closed, false);
  world.link.configure({ ...PAIRED, off: true });
  assert.equal(world.last.closed, true);
  assert.equal(world.link.status().phase, 'off');
});

test('more than can be kept is given up, and said so', async () => {
  const world = await connected();
  world.last.onclose();
  for (let n = 0; n < 5_002; n++) world.link.send({ event: 'e', args: [n] });
  await world.pass(200);
  await world.welcome();
  assert.deepEqual(world.last.sent.at(-1)[0], { event: 'pilot.gap', args: [] });
});

test('switched off and on again, it connects', async () => {
  const world = await connected();
  world.link.configure({ ...PAIRED, off: true });
  world.link.configure({ ...PAIRED, off: false });
  await settle();
  await world.welcome();
  assert.equal(world.link.status().phase, 'connected');
});

test('what a page asks the hub is answered by its number, and by nobody else', async () => {
  const world = await connected();
  const asked = world.link.ask('state', { url: 'u' });
  await settle();
  const [{ event, args: [id, name, params] }] = world.last.sent.at(-1);
  assert.deepEqual([event, name, params], ['pilot.ask', 'state', { url: 'u' }]);
  world.last.onmessage({ data: JSON.stringify([{ notice: 'told', data: { id: 'another', result: 1 } }, { notice: 'told', data: { id, result: 2 } }]) });
  assert.deepEqual(await asked, { id, result: 2 });
  assert.deepEqual(world.received, []);
});

test('a question to a hub that goes away, or falls silent, is answered with the reason', async () => {
  const world = await connected();
  const cut = world.link.ask('state', {});
  world.last.onclose();
  assert.match((await cut).error, /cut/);
  assert.match((await world.link.ask('state', {})).error, /not connected/);
  await world.pass(200);
  await world.welcome();
  const silent = world.link.ask('state', {});
  await world.pass(10_001);
  assert.match((await silent).error, /does not answer/);
});
