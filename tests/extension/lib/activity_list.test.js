/** How the result and the duration of an action are shown. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { durationOf, resultOf } from '../../../src/browser_pilot/extension/lib/activity_list.js';

const ACTION = { id: 1, kind: 'intent', time_ms: 0, what: '', ended: true };

test('a result has a symbol, a colour and a label', () => {
  assert.deepEqual(resultOf({ ...ACTION, status: 'refused' }), { symbol: '⊘', kind: 'stop', label: 'Refused' });
  assert.deepEqual(resultOf({ ...ACTION, ended: false }), { symbol: '…', kind: '', label: 'Running' });
  assert.deepEqual(resultOf({ ...ACTION, status: 'from a newer hub' }), { symbol: '?', kind: 'ask', label: 'Unknown' });
});

test('a note has no result', () => {
  assert.deepEqual(resultOf({ ...ACTION, kind: 'note' }), { symbol: '·', kind: '', label: '' });
});

test('the duration of a finished action is in milliseconds or seconds', () => {
  assert.equal(durationOf({ ...ACTION, duration_ms: 31.4 }), '31 ms');
  assert.equal(durationOf({ ...ACTION, duration_ms: 1_234 }), '1.2 s');
  assert.equal(durationOf({ ...ACTION, duration_ms: 1_234, ended: false }), '');
});
