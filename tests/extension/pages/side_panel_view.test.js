/** What the side panel shows in each state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { levelOptions, sidePanelView } from '../../../src/browser_pilot/extension/pages/side_panel_view.js';

const CONNECTION = { phase: 'connected', problem: '', server: '127.0.0.1:8777', since: 0, retryAt: 0, received: 0, sent: 0 };
const STATE = { hub: '1', name: 'Chrome', mode: 'ask', halted: '', approvals: [], site: null, agents: [], tabs: [] };
const APPROVAL = { id: 'q', client_name: 'Claude', what: 'Click “Pay now”', site: 'shop.example', risk: 'high', choices: ['once', 'deny'] };

test('connected without agents: everything can be stopped', () => {
  const shown = sidePanelView(CONNECTION, STATE, 0);
  assert.deepEqual([shown.state, shown.kind, shown.agents, shown.canStop, shown.problem], ['Connected', 'ok', 'No agent is active.', true, '']);
});

test('a pending approval shows "Needs you"; each agent is named once', () => {
  const agents = [{ name: 'Claude' }, { name: 'Claude' }, { name: 'Cursor' }];
  const shown = sidePanelView(CONNECTION, { ...STATE, approvals: [APPROVAL], agents }, 0);
  assert.deepEqual([shown.state, shown.kind, shown.agents], ['Needs you', 'ask', 'Claude, Cursor']);
});

test('stopped and paused show what to do next', () => {
  const stopped = sidePanelView(CONNECTION, { ...STATE, halted: 'stopped' }, 0);
  const paused = sidePanelView(CONNECTION, { ...STATE, halted: 'paused' }, 0);
  assert.deepEqual([stopped.kind, stopped.canStop, stopped.pause], ['stop', false, 'Resume']);
  assert.match(stopped.note, /share a tab/);
  assert.deepEqual([paused.kind, paused.canStop, paused.pause], ['ask', true, 'Resume']);
});

test('every problem has a remedy', () => {
  for (const [phase, remedy] of [['unpaired', 'options'], ['off', 'turn_on'], ['disconnected', 'retry'], ['rejected', 'retry']]) {
    const shown = sidePanelView({ ...CONNECTION, phase, problem: 'A reason.' }, null, 0);
    assert.equal(shown.remedy, remedy);
    assert.ok(shown.problem && shown.remedyLabel);
    assert.deepEqual([shown.live, shown.canStop, shown.pause], [false, false, '']);
  }
});

test('the last state of the hub is not shown while disconnected', () => {
  const shown = sidePanelView({ ...CONNECTION, phase: 'disconnected' }, null, 0);
  assert.deepEqual([shown.agents, shown.note, shown.modeHint], ['', '', '']);
});

test('the effective level is selected: the default, or the user\'s choice', () => {
  const chosen = (site) => levelOptions(site).filter((level) => level.selected).map((level) => level.value);
  assert.deepEqual(chosen({ site: 's', level: 'ask', rule: 'r', own: false }), ['default']);
  assert.deepEqual(chosen({ site: 's', level: 'free', rule: 'r', own: true }), ['free']);
  assert.equal(levelOptions({ site: 's', level: 'ask', rule: 'r', own: false })[0].label, 'Default (Ask before acting)');
});
