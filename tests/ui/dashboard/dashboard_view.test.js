/** What the dashboard says in each state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './locale.js';
import { browserView, dashboardView, pairingView } from '../../src/browser_pilot/dashboard/static/dashboard_view.js';
import { languageOf, wordsOf } from '../../src/browser_pilot/dashboard/static/words.js';

const CHROME = { id: 'b1', name: 'Chrome on Linux', connected: true, version: 'Chrome/142.0.7444.59', tabs: 2, paired_at: 0, halted: '' };
const STATE = { hub: '1.0', uptime: 65, extension: 'x', problems: [], mode: 'ask', clients: [], questions: [], agents: [], browsers: [], pairing: null };
const QUESTION = { id: 'q', client_name: 'Claude', what: 'Click “Pay now”', site: 'shop.example', risk: 'high' };

test('connected and calm: nobody is at work, and it says how to begin', () => {
  const view = dashboardView('live', STATE);
  assert.deepEqual([view.state, view.kind, view.agents, view.title], ['Connected', 'ok', 'No agent is at work.', 'Browser Pilot']);
  assert.match(view.agentsNone, /mcp-config/);
  assert.equal(view.versions, 'Hub 1.0, for 1 m 5 s');
});

test('without a browser of the user there is nothing to pause or stop', () => {
  for (const browsers of [[], [{ ...CHROME, connected: false }]]) {
    const view = dashboardView('live', { ...STATE, browsers });
    assert.deepEqual([view.pause, view.canStop], ['', false]);
  }
  assert.deepEqual([dashboardView('live', { ...STATE, browsers: [CHROME] }).pause, dashboardView('live', { ...STATE, browsers: [CHROME] }).canStop], ['Pause', true]);
});

test('a question is in the state and in the title', () => {
  const view = dashboardView('live', { ...STATE, questions: [QUESTION] });
  assert.deepEqual([view.state, view.kind, view.title], ['Needs you', 'ask', '(1) Needs you · Browser Pilot']);
});

test('a client that has opened nothing yet is not called absent', () => {
  assert.equal(dashboardView('live', { ...STATE, clients: ['Claude'] }).agentsNone, 'Connected, with no page open yet: Claude');
});

test('no state is a dead end, and none shows what the hub once said', () => {
  for (const phase of ['away', 'signed out']) {
    const view = dashboardView(phase, null);
    assert.match(view.problem, /run:$/);
    assert.deepEqual([view.live, view.kind, view.agents, view.pause, view.canStop, view.versions], [false, 'stop', '', '', false, '']);
  }
});

test('the strictest word of a browser is told, and only of browsers that it was said to', () => {
  const browsers = [CHROME, { ...CHROME, id: 'b2', halted: 'paused' }, { ...CHROME, id: 'b3', halted: 'stopped' }];
  const view = dashboardView('live', { ...STATE, browsers });
  assert.deepEqual([view.pause, view.canStop], ['Resume', false]);
  assert.match(view.note, /stopped agents in your browsers/);
  assert.match(dashboardView('live', { ...STATE, browsers: browsers.slice(0, 2) }).note, /wait until you resume/);
  assert.equal(view.state, 'Connected', 'agents in browsers of their own go on');
});

test('a browser says how it is, and what to do when it is away', () => {
  assert.deepEqual(browserView(CHROME), { state: 'Connected', kind: 'ok', about: 'Chrome 142 · 2 tabs for agents' });
  assert.match(browserView({ ...CHROME, connected: false }).about, /Start it/);
  assert.deepEqual([browserView({ ...CHROME, halted: 'stopped' }).kind, browserView({ ...CHROME, halted: 'paused' }).state], ['stop', 'Paused']);
});

test('a pairing goes from its code to the new browser, or says why not', () => {
  const open = { ...STATE, pairing: { code: 'K7QW-3M9T', expires: 600 } };
  assert.equal(pairingView(null, STATE, 0).code, '');
  assert.deepEqual([pairingView(new Set(), open, 0).code, pairingView(new Set(), open, 0).left], ['K7QW-3M9T', 'Good for one browser, 10 m 0 s left']);
  assert.match(pairingView(new Set(), { ...STATE, browsers: [CHROME] }, 0).note, /Chrome on Linux is paired/);
  assert.match(pairingView(new Set(['b1']), { ...STATE, browsers: [CHROME] }, 0).note, /void/);
  assert.match(pairingView(new Set(), open, 600).note, /void/);
});

test('words come in the first language that we have, filled in as Chrome does', () => {
  assert.deepEqual([languageOf(['fr-FR', 'de-AT', 'en']), languageOf(['fr']), languageOf([])], ['de', 'en', 'en']);
  const words = wordsOf({ wants: { message: '$WHO$ wants $WHAT$', placeholders: { who: { content: '$1' }, what: { content: '$2' } } } });
  assert.equal(words('wants', ['Ada', '$1']), 'Ada wants $1');
  assert.equal(words('missing', []), '');
});
