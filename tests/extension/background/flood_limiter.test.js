/** Floods of pages in controlled tabs: the excess is dropped and counted, and a page that goes on is stopped. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DROPPED_EVENT, FloodLimiter } from '../../../src/browser_pilot/extension/background/flood_limiter.js';
import { FLOOD_WEIGHT, HELD, LIMITS, MAX_FLOOD_WINDOWS } from '../../../src/browser_pilot/extension/lib/event_limits.mjs';

const PAGE = { tabId: 1 };
const CONSOLE = 'Runtime.consoleAPICalled';
const BURST = LIMITS.get(CONSOLE).burst;
const LINE = { args: [{ value: 'line' }] };

class Scene {
  constructor() {
    this.forwarded = [];
    this.commands = [];
    this.timer = null;
    this.time = 0;
    this.floods = new FloodLimiter({
      forward: (...event) => this.forwarded.push(event),
      command: (source, method, params) => this.commands.push([source, method, params]),
      now: () => this.time,
      setInterval: (run) => (this.timer = run),
      clearInterval: () => (this.timer = null),
    });
  }

  /** @param {number} count @param {string} method @param {object} params @param {object} [source] */
  send(count, method, params, source = PAGE) {
    for (let i = 0; i < count; i++) this.floods.onEvent(source, method, params);
  }

  /** @param {number} count */
  windows(count) {
    for (let i = 0; i < count; i++) this.timer();
  }

  /** @param {string} method */
  got(method) {
    return this.forwarded.filter((event) => event[1] === method);
  }
}

test('the excess is dropped and reported once', () => {
  const scene = new Scene();
  scene.send(BURST + 30, CONSOLE, LINE);
  assert.equal(scene.got(CONSOLE).length, BURST);
  scene.windows(8);
  assert.deepEqual(scene.got(DROPPED_EVENT), [[PAGE, DROPPED_EVENT, { dropped: { console: 30 }, stopped: false }]]);
});

test('one tab does not use up the limit of another', () => {
  const scene = new Scene();
  scene.send(BURST + 1, CONSOLE, LINE);
  scene.send(1, CONSOLE, LINE, { tabId: 2 });
  assert.equal(scene.got(CONSOLE).length, BURST + 1);
});

test('later events of a dropped request are dropped, and a document is never', () => {
  const scene = new Scene();
  const burst = LIMITS.get('Network.requestWillBeSent').burst;
  for (let i = 0; i <= burst; i++) scene.send(1, 'Network.requestWillBeSent', { requestId: `r${i}`, loaderId: 'l' });
  scene.send(1, 'Network.loadingFinished', { requestId: `r${burst}` });
  scene.send(1, 'Network.loadingFinished', { requestId: 'r0' });
  scene.send(1, 'Network.requestWillBeSent', { requestId: 'l2', loaderId: 'l2', type: 'Document' });
  assert.deepEqual(scene.got('Network.loadingFinished').map(([, , { requestId }]) => requestId), ['r0']);
  assert.equal(scene.got('Network.requestWillBeSent').length, burst + 1);
});

test('a large console line is dropped', () => {
  const scene = new Scene();
  scene.send(1, CONSOLE, { args: [{ value: 'x'.repeat(2_000_000) }] });
  assert.deepEqual(scene.forwarded, []);
});

test('of same-document navigations beyond the limit, the latest is passed on in order', () => {
  const scene = new Scene();
  for (let i = 0; i < HELD.burst + 5; i++) scene.send(1, HELD.method, { frameId: 'f', url: `u${i}` });
  scene.send(1, 'Page.frameNavigated', { frame: { id: 'f' } });
  const [held, navigated] = scene.forwarded.slice(-2);
  assert.deepEqual([held[2].url, navigated[1]], [`u${HELD.burst + 4}`, 'Page.frameNavigated']);
});

test('a page that goes on flooding is stopped until its next document', () => {
  const scene = new Scene();
  for (let i = 0; i < MAX_FLOOD_WINDOWS; i++) {
    scene.send(FLOOD_WEIGHT + 1, CONSOLE, LINE);
    scene.windows(1);
  }
  const methods = () => scene.commands.map(([source, method, params]) => [source.tabId, method, params?.value]);
  assert.deepEqual(methods(), [[1, 'Emulation.setScriptExecutionDisabled', true], [1, 'Page.stopLoading', undefined]]);
  scene.windows(8);
  assert.equal(scene.got(DROPPED_EVENT).filter(([, , report]) => report.stopped).length, 1);
  scene.commands = [];
  scene.send(1, 'Page.frameNavigated', { frame: { id: 'f' } });
  assert.deepEqual(methods(), [[1, 'Emulation.setScriptExecutionDisabled', false]]);
});

test('a flooding worker is paused, and a few lines stop nothing', () => {
  const scene = new Scene();
  scene.send(1, 'Target.attachedToTarget', { sessionId: 'w', targetInfo: { type: 'worker' } });
  for (let i = 0; i < MAX_FLOOD_WINDOWS; i++) {
    scene.send(3, CONSOLE, LINE);
    scene.send(FLOOD_WEIGHT + 1, CONSOLE, LINE, { ...PAGE, sessionId: 'w' });
    scene.windows(1);
  }
  assert.deepEqual(scene.commands.map(([source, method]) => [source.sessionId, method]), [['w', 'Debugger.enable'], ['w', 'Debugger.pause']]);
});

test('the clock stops when nothing happens', () => {
  const scene = new Scene();
  scene.send(1, CONSOLE, LINE);
  for (let i = 0; i < 100 && scene.timer; i++) scene.windows(1);
  assert.equal(scene.timer, null);
  scene.send(1, CONSOLE, LINE);
  assert.notEqual(scene.timer, null);
});
