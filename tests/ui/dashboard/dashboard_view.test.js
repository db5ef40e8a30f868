/** What the dashboard shows in each state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../../extension/locale.js';
import { browserView, dashboardView, pairingView } from '../../../src/browser_pilot/ui/dashboard/static/dashboard_view.js';
import { languageOf, lookupIn } from '../../../src/browser_pilot/ui/dashboard/static/i18n.js';

const CHROME = { id: 'b1', name: 'Chrome on Linux', connected: true, version: 'Chrome/142.0.7444.59', tabs: 2, paired_at: 0, halted: '' };
const STATE = { hub: '1.0', uptime: 65, extension: 'x', problems: [], mode: 'ask', clients: [], approvals: [], agents: [], browsers: [], pairing: null };
const APPROVAL = { id: 'q', client_name: 'Claude', what: 'Click “Pay now”', site: 'shop.example', risk: 'high' };

test('connected without agents: shows how to start one', () => {
  const view = dashboardView('live', STATE);
  assert.deepEqual([view.state, view.kind, view.agents, view.title], ['Connected', 'ok', 'No agent is active.', 'Browser Pilot']);
  assert.match(view.agentsNone, /mcp-config/);
  assert.equal(view.versions, 'Hub 1.0, running for 1 m 5 s');
});

test('without a connected browser of the user there is nothing to pause or stop', () => {
  for (const browsers of [[], [{ ...CHROME, connected: false }]]) {
    const view = dashboardView('live', { ...STATE, browsers });
    assert.deepEqual([view.pause, view.canStop], ['', false]);
  }
  assert.deepEqual([dashboardView('live', { ...STATE, browsers: [CHROME] }).pause, dashboardView('live', { ...STATE, browsers: [CHROME] }).canStop], ['Pause', true]);
});

test('a pending approval is in the state and in the title', () => {
  const view = dashboardView('live', { ...STATE, approvals: [APPROVAL] });
  assert.deepEqual([view.state, view.kind, view.title], ['Needs you', 'ask', '(1) Needs you · Browser Pilot']);
});

test('a client without an open page is shown as connected', () => {
  assert.equal(dashboardView('live', { ...STATE, clients: ['Claude'] }).agentsNone, 'Connected, no page open yet: Claude');
});

test('every problem shows a command, and not the last state of the hub', () => {
  for (const phase of ['unreachable', 'signed out']) {
    const view = dashboardView(phase, null);
    assert.match(view.problem, /run:$/);
    assert.deepEqual([view.live, view.kind, view.agents, view.pause, view.canStop, view.versions], [false, 'stop', '', '', false, '']);
  }
});

test('the strictest halt of the connected browsers is shown', () => {
  const browsers = [CHROME, { ...CHROME, id: 'b2', halted: 'paused' }, { ...CHROME, id: 'b3', halted: 'stopped' }];
  const view = dashboardView('live', { ...STATE, browsers });
  assert.deepEqual([view.pause, view.canStop], ['Resume', false]);
  assert.match(view.note, /stopped agents in your browsers/);
  assert.match(dashboardView('live', { ...STATE, browsers: browsers.slice(0, 2) }).note, /wait until you resume/);
  assert.equal(view.state, 'Connected', 'agents in managed browsers continue');
});

test('a browser shows its state, and what to do when it is not connected', () => {
  assert.deepEqual(browserView(CHROME), { state: 'Connected', kind: 'ok', details: 'Chrome 142 · 2 tabs for agents' });
  assert.match(browserView({ ...CHROME, connected: false }).details, /Start this browser/);
  assert.deepEqual([browserView({ ...CHROME, halted: 'stopped' }).kind, browserView({ ...CHROME, halted: 'paused' }).state], ['stop', 'Paused']);
});

test('a pairing shows its code, then the new browser or the reason why not', () => {
  const open = { ...STATE, pairing: { code: 'K7QW-3M9T', expires: 600 } };
  assert.equal(pairingView(null, STATE, 0).code, '');
  assert.deepEqual([pairingView(new Set(), open, 0).code, pairingView(new Set(), open, 0).expiry], ['K7QW-3M9T', 'Valid for one browser, 10 m 0 s left']);
  assert.match(pairingView(new Set(), { ...STATE, browsers: [CHROME] }, 0).note, /Chrome on Linux is paired/);
  assert.match(pairingView(new Set(['b1']), { ...STATE, browsers: [CHROME] }, 0).note, /no longer valid/);
  assert.match(pairingView(new Set(), open, 600).note, /no longer valid/);
});

test('messages are in the first available language, filled in as chrome.i18n does', () => {
  assert.deepEqual([languageOf(['fr-FR', 'de-AT', 'en']), languageOf(['fr']), languageOf([])], ['de', 'en', 'en']);
  const lookup = lookupIn({ wants: { message: '$WHO$ wants $WHAT$', placeholders: { who: { content: '$1' }, what: { content: '$2' } } } });
  assert.equal(lookup('wants', ['Ada', '$1']), 'Ada wants $1');
  assert.equal(lookup('missing', []), '');
});
