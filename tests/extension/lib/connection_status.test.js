/** The state of the connection in a word and a colour, in order of importance. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { connectionProblem, connectionState } from '../../../src/browser_pilot/extension/lib/connection_status.js';

const APPROVAL = { id: 'a', what: 'Click', site: 'shop.example', client: 'Claude', risk: 'high' };
const CASES = [
  ['connected', {}, 'Connected', 'ok'],
  ['connected', { halted: 'paused' }, 'Paused', 'ask'],
  ['connected', { halted: 'paused', approvals: [APPROVAL] }, 'Needs you', 'ask'],
  ['connected', { halted: 'stopped', approvals: [APPROVAL] }, 'Stopped by you', 'stop'],
  ['disconnected', {}, 'Hub offline', ''],
  ['disconnected', { halted: 'stopped' }, 'Stopped by you', 'stop'],
  ['connecting', { halted: 'paused', approvals: [APPROVAL] }, 'Paused', 'ask'],
  ['unpaired', { halted: 'stopped' }, 'Not paired', ''],
  ['rejected', {}, 'Rejected', 'stop'],
  ['unpaired', {}, 'Not paired', ''],
  ['off', {}, 'Turned off', ''],
  ['connecting', {}, 'Connecting …', ''],
];

for (const [phase, hub, state, kind] of CASES) {
  test(`${phase} with ${JSON.stringify(hub)} is shown as ${state}`, () => assert.deepEqual(connectionState({ phase }, hub), { state, kind }));
}

test('a missing hub shows the next retry; a rejection shows its reason', () => {
  const connection = { problem: 'Update the extension.', server: '', since: 0, retryAt: 1_400, received: 0, sent: 0 };
  assert.match(connectionProblem({ ...connection, phase: 'disconnected' }, 0), /browser-pilot serve.*Next try in 2 s\.$/);
  assert.doesNotMatch(connectionProblem({ ...connection, phase: 'disconnected' }, 1_400), /Next try/);
  assert.equal(connectionProblem({ ...connection, phase: 'rejected' }, 0), 'Update the extension.');
  assert.equal(connectionProblem({ ...connection, phase: 'connected' }, 0), '');
});
