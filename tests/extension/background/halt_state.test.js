/** Pause and Stop are stored in the browser, and hold until the user resumes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HaltState, haltedBy } from '../../../src/browser_pilot/extension/background/halt_state.js';

const stored = () => {
  const items = {};
  return { items, get: async (key) => ({ [key]: items[key] }), set: async (more) => void Object.assign(items, more) };
};

test('a state survives the worker and the browser', async () => {
  const storage = stored();
  for (const value of ['paused', 'stopped', '']) {
    await new HaltState(storage).set(value);
    const next = new HaltState(storage);
    await next.load();
    assert.equal(next.value, value);
  }
});

test('it holds before it is stored', () => {
  const halt = new HaltState({ get: async () => ({}), set: () => new Promise(() => {}) });
  void halt.set('stopped');
  assert.match(halt.reason, /stopped all agents/);
});

test('only the commands of the user change it', () => {
  assert.deepEqual(['pause', 'stop', 'resume'].map(haltedBy), ['paused', 'stopped', '']);
  for (const other of ['auto', 'constructor', '__proto__', '', undefined, 1]) assert.equal(haltedBy(other), undefined);
});
