/** What the side panel says in each state, and how it tells actions and questions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './locale.js';
import { resultOf, took } from '../../src/browser_pilot/extension/activity_list.js';
import { announcement, choiceOfKey } from '../../src/browser_pilot/extension/approval_card.js';
import { levelsOf, panelView } from '../../src/browser_pilot/extension/panel_view.js';

const LINK = { phase: 'connected', problem: '', server: '127.0.0.1:8777', since: 0, retryAt: 0, down: 0, up: 0 };
const STATE = { hub: '1', name: 'Chrome', mode: 'ask', halted: '', questions: [], site: null, agents: [], tabs: [] };
const QUESTION = { id: 'q', client_name: 'Claude', what: 'Click “Pay now”', site: 'shop.example', risk: 'high', choices: ['once', 'deny'] };

test('connected and calm: nobody is at work, everything can be stopped', () => {
  const shown = panelView(LINK, STATE, 0);
  assert.deepEqual([shown.state, shown.kind, shown.agents, shown.canStop, shown.problem], ['Connected', 'ok', 'No agent is at work.', true, '']);
});

test('a question makes it "Needs you", and names come once', () => {
  const agents = [{ name: 'Claude' }, { name: 'Claude' }, { name: 'Cursor' }];
  const shown = panelView(LINK, { ...STATE, questions: [QUESTION], agents }, 0);
  assert.deepEqual([shown.state, shown.kind, shown.agents], ['Needs you', 'ask', 'Claude, Cursor']);
});

test('stopped and paused say what to do next', () => {
  const stopped = panelView(LINK, { ...STATE, halted: 'stopped' }, 0);
  const paused = panelView(LINK, { ...STATE, halted: 'paused' }, 0);
  assert.deepEqual([stopped.kind, stopped.canStop, stopped.pause], ['stop', false, 'Resume']);
  assert.match(stopped.note, /share one/);
  assert.deepEqual([paused.kind, paused.canStop, paused.pause], ['ask', true, 'Resume']);
});

test('no state is a dead end', () => {
  for (const [phase, remedy] of [['unpaired', 'options'], ['off', 'on'], ['away', 'retry'], ['refused', 'retry']]) {
    const shown = panelView({ ...LINK, phase, problem: 'It says why.' }, null, 0);
    assert.equal(shown.remedy, remedy);
    assert.ok(shown.problem && shown.remedyWords);
    assert.deepEqual([shown.live, shown.canStop, shown.pause], [false, false, '']);
  }
});

test('while the hub is away nothing that it once said is shown', () => {
  const shown = panelView({ ...LINK, phase: 'away' }, null, 0);
  assert.deepEqual([shown.agents, shown.note, shown.modeHint], ['', '', '']);
});

test('the level that holds is chosen: the default, or what the user said', () => {
  const chosen = (site) => levelsOf(site).filter((level) => level.chosen).map((level) => level.value);
  assert.deepEqual(chosen({ site: 's', level: 'ask', rule: 'r', own: false }), ['default']);
  assert.deepEqual(chosen({ site: 's', level: 'free', rule: 'r', own: true }), ['free']);
  assert.equal(levelsOf({ site: 's', level: 'ask', rule: 'r', own: false })[0].words, 'Default (Ask before acting)');
});

test('a key answers only what the question offers', () => {
  assert.equal(choiceOfKey(QUESTION, 'a'), 'once');
  assert.equal(choiceOfKey(QUESTION, 'D'), 'deny');
  assert.equal(choiceOfKey(QUESTION, 's'), undefined);
  assert.equal(choiceOfKey(QUESTION, 'Escape'), undefined);
});

test('a question is announced with everything that matters', () => {
  assert.equal(announcement(QUESTION), 'Needs you: Claude wants to Click “Pay now”. shop.example. High risk.');
});

test('how an action went is told by a sign and a word', () => {
  const action = { id: 1, kind: 'intent', time_ms: 0, what: '', ended: true };
  assert.deepEqual(resultOf({ ...action, status: 'refused' }), ['⊘', 'stop', 'Refused']);
  assert.deepEqual(resultOf({ ...action, ended: false }), ['…', '', 'Under way']);
  assert.deepEqual(resultOf({ ...action, kind: 'note' }), ['·', '', '']);
  assert.equal(took({ ...action, duration_ms: 31.4 }), '31 ms');
  assert.equal(took({ ...action, duration_ms: 1_234 }), '1.2 s');
  assert.equal(took({ ...action, ended: false }), '');
});
