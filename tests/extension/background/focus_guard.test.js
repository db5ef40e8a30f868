/** Input of the agent is distinguished from the user's, and the user's tab stays active. */

import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import { FocusGuard } from '../../../src/browser_pilot/extension/background/focus_guard.js';

const TABS = { 1: { id: 1, windowId: 9, active: false }, 2: { id: 2, windowId: 9, active: true }, 3: { id: 3, windowId: 8, active: true } };
/** @type {unknown[][]} */
let calls = [];

beforeEach(() => {
  calls = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now: 100_000 });
  globalThis.chrome = {
    tabs: {
      query: async () => [{ id: 1, windowId: 9 }],
      get: async (id) => TABS[id] ?? Promise.reject(new Error('No tab.')),
      update: async (...args) => void calls.push(['update', ...args]),
      move: async (...args) => void calls.push(['move', ...args]),
    },
  };
});

/** @param {string} method @param {object} [params] */
function guardAfter(method, params) {
  const guard = new FocusGuard();
  guard.recordCommand([{ tabId: 1 }, method, params]);
  return guard;
}

test('a tab that opens within a second of an agent\'s input is the agent\'s; reading is no input', () => {
  const script = { objectGroup: 'browser-pilot-agent-script' };
  for (const [method, params] of [['Input.dispatchMouseEvent'], ['Input.insertText'], ['Page.navigate'], ['Runtime.evaluate', script], ['Runtime.callFunctionOn', script]]) {
    const guard = guardAfter(method, params);
    assert.ok(guard.isAgentInput(1) && !guard.isAgentInput(2), method);
    mock.timers.tick(1_000);
    assert.ok(!guard.isAgentInput(1), method);
  }
  for (const method of ['Runtime.evaluate', 'Runtime.callFunctionOn', 'DOM.getDocument', 'Page.captureScreenshot', 'Input.setIgnoreInputEvents']) {
    assert.ok(!guardAfter(method).isAgentInput(1), method);
  }
});

test('a malformed command is no input', () => {
  for (const args of [[], [{}], [{ tabId: 1 }], [{ tabId: 1 }, 5]]) new FocusGuard().recordCommand(args);
});

test('an agent counts as active for five seconds after an action, and not after a read', () => {
  const guard = guardAfter('Input.dispatchKeyEvent');
  assert.ok(guard.isAgentActive(1) && !guard.isAgentActive(2));
  mock.timers.tick(5_000);
  assert.ok(!guard.isAgentActive(1));
  assert.ok(!guardAfter('DOM.getDocument').isAgentActive(1));
});

test('a click at the place of the agent\'s mouse is not the user\'s', () => {
  const guard = guardAfter('Input.dispatchMouseEvent', { x: 10, y: 20 });
  assert.deepEqual([guard.isUserMouse(1), guard.isUserClick(1, 10, 21), guard.isUserClick(1, 10, 25), guard.isUserClick(2, 10, 20)], [false, false, true, true]);
  mock.timers.tick(1_001);
  assert.deepEqual([guard.isUserMouse(1), guard.isUserClick(1, 10, 20)], [true, true]);
});

test('a tab that an agent opened gives the focus back to the tab before it, whichever event comes first', async () => {
  for (const reported of [true, false]) {
    const guard = guardAfter('Input.dispatchMouseEvent', { x: 1, y: 1 });
    await guard.load();
    guard.onActivated({ tabId: 5, windowId: 9 });
    if (reported) guard.onActivated({ tabId: 2, windowId: 9 });
    await guard.restoreActiveTab(2, 1);
    assert.deepEqual(calls.splice(0), [['update', 5, { active: true }]]);
  }
});

test('a popup window of an agent becomes a tab of its opener\'s window', async () => {
  await guardAfter('Input.dispatchMouseEvent', { x: 1, y: 1 }).restoreActiveTab(3, 1);
  assert.deepEqual(calls, [['move', 3, { windowId: 9, index: -1 }]]);
});

test('a tab that the user opened stays active', async () => {
  await new FocusGuard().restoreActiveTab(2, 1);
  assert.deepEqual(calls, []);
});
