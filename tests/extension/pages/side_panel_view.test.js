/** What the side panel shows in each state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { levelOptions, sidePanelView } from '../../../src/browser_pilot/extension/pages/side_panel_view.js';

const CONNECTION = { phase: 'connected', problem: '', server: '127.0.0.1:8777', since: 0, retryAt: 0, received: 0, sent: 0 };
const STATE = { hub: '1', name: 'Chrome', mode: 'ask', approvals: [], site: null, agents: [], tabs: [], clients: [] };
const APPROVAL = { id: 'q', client_name: 'Claude', what: 'Click “Pay now”', site: 'shop.example', risk: 'high', choices: ['once', 'deny'] };

test('connected without agents: everything can be stopped', () => {
  const shown = sidePanelView(CONNECTION, STATE, '', 0);
  assert.deepEqual([shown.state, shown.kind, shown.agents, shown.canStop, shown.problem], ['Connected', 'ok', 'No agent is active.', true, '']);
});

test('a pending approval shows "Needs you"; each agent is named once', () => {
  const agents = [{ name: 'Claude' }, { name: 'Claude' }, { name: 'Cursor' }];
  const shown = sidePanelView(CONNECTION, { ...STATE, approvals: [APPROVAL], agents }, '', 0);
  assert.deepEqual([shown.state, shown.kind, shown.agents], ['Needs you', 'ask', 'Claude, Cursor']);
});

test('a connected client without a page is not "no agent"', () => {
  assert.match(sidePanelView(CONNECTION, STATE, '', 0).agentsNone, /No agent is connected/);
  assert.equal(sidePanelView(CONNECTION, { ...STATE, clients: ['Claude'] }, '', 0).agentsNone, 'Connected, no page open yet: Claude');
  assert.equal(sidePanelView(CONNECTION, { ...STATE, agents: [{ name: 'Claude' }] }, '', 0).agentsNone, '');
});

test('stopped and paused show what to do next', () => {
  const stopped = sidePanelView(CONNECTION, STATE, 'stopped', 0);
  const paused = sidePanelView(CONNECTION, STATE, 'paused', 0);
  assert.deepEqual([stopped.kind, stopped.canStop, stopped.pause], ['stop', false, 'Resume']);
  assert.match(stopped.note, /share a tab/);
  assert.deepEqual([paused.kind, paused.canStop, paused.pause], ['ask', true, 'Resume']);
});

test('every problem has a remedy', () => {
  for (const [phase, remedy] of [['unpaired', 'options'], ['off', 'turn_on'], ['disconnected', 'retry'], ['rejected', 'retry']]) {
    const shown = sidePanelView({ ...CONNECTION, phase, problem: 'A reason.' }, null, '', 0);
    assert.equal(shown.remedy, remedy);
    assert.ok(shown.problem && shown.remedyLabel);
    assert.equal(shown.live, false);
  }
});

test('agents can be stopped, and are shown as stopped, while the hub does not respond', () => {
  const silent = sidePanelView(CONNECTION, null, '', 0);
  assert.deepEqual([silent.canStop, silent.pause], [true, 'Pause']);
  const stopped = sidePanelView({ ...CONNECTION, phase: 'disconnected' }, null, 'stopped', 0);
  assert.deepEqual([stopped.state, stopped.canStop, stopped.pause], ['Stopped by you', false, 'Resume']);
  const unpaired = sidePanelView({ ...CONNECTION, phase: 'unpaired' }, null, '', 0);
  assert.deepEqual([unpaired.canStop, unpaired.pause], [false, '']);
});

test('the last state of the hub is not shown while disconnected', () => {
  const shown = sidePanelView({ ...CONNECTION, phase: 'disconnected' }, null, '', 0);
  assert.deepEqual([shown.agents, shown.note, shown.modeHint], ['', '', '']);
});

test('the effective level is selected: the default, or the user\'s choice', () => {
  const chosen = (site) => levelOptions(site).filter((level) => level.selected).map((level) => level.value);
  assert.deepEqual(chosen({ site: 's', level: 'ask', rule: 'r', own: false }), ['default']);
  assert.deepEqual(chosen({ site: 's', level: 'free', rule: 'r', own: true }), ['free']);
  assert.equal(levelOptions({ site: 's', level: 'ask', rule: 'r', own: false })[0].label, 'Default (Ask before acting)');
});
