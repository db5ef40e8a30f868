/** What the indicator in a page says in each state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { indicatorView } from '../../../src/browser_pilot/extension/background/tab_indicator.js';

const CASES = [
  ['', 0, { state: 'running', label: 'An agent is using this tab', review: '', pause: 'Pause', stop: 'Stop' }],
  ['', 2, { state: 'waiting', label: 'Waiting for you', review: 'Review', pause: 'Pause', stop: 'Stop' }],
  ['paused', 0, { state: 'paused', label: 'Paused: agents are waiting', review: 'Open panel', pause: '', stop: 'Stop' }],
  ['paused', 1, { state: 'waiting', label: 'Waiting for you', review: 'Review', pause: '', stop: 'Stop' }],
  ['stopped', 0, { state: 'paused', label: 'Stopped: agents can do nothing', review: 'Open panel', pause: '', stop: '' }],
];

for (const [halted, pending, view] of CASES) {
  test(`"${halted}" with ${pending} pending: ${view.label}, and no Resume`, () => assert.deepEqual(indicatorView(halted, pending), view));
}
