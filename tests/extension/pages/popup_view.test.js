/** What the popup shows in each state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';

import { popupView } from '../../../src/browser_pilot/extension/pages/popup_view.js';

const CONNECTION = { phase: 'connected', problem: '', server: '127.0.0.1:8777', since: 0, retryAt: 0, received: 0, sent: 0 };
const PAGE = { title: 'Login', url: 'https://example.com/' };
const FREE = { tab: null, hub: {} };
const SHARED = { tab: { kind: 'shared', since: 0 }, hub: { agents: ['Claude'], mode: 'ask' } };
const view = (connection = {}, tab = FREE, page = PAGE, now = 0) => popupView({ ...CONNECTION, ...connection }, tab, page, now);

test('not paired: asks for the code and offers nothing else', () => {
  const shown = view({ phase: 'unpaired' });
  assert.deepEqual([shown.pairing, shown.tab, shown.canConnect, shown.canTurnOff], [true, false, false, false]);
});

test('connected with no tab shared: offers to connect it', () => {
  const shown = view();
  assert.deepEqual([shown.state, shown.kind, shown.canConnect, shown.canDisconnect], ['Connected', 'ok', true, false]);
});

test('a shared tab shows with whom and for how long', () => {
  const shown = view({}, SHARED, PAGE, 332_000);
  assert.equal(shown.note, 'Shared with Claude · 5 m 32 s');
  assert.deepEqual([shown.canConnect, shown.canDisconnect, shown.pause, shown.canStop], [false, true, 'Pause', true]);
});

test('a page of the browser cannot be shared, with a reason', () => {
  const shown = view({}, FREE, { title: 'Settings', url: 'chrome://settings/' });
  assert.equal(shown.canConnect, false);
  assert.match(shown.note, /cannot be shared/);
});

test('a page in which another extension blocks the debugger shows the reason', () => {
  const blocked = (/** @type {number} */ id) => ({ tab: { id: 7, kind: 'shared', since: 0 }, hub: { attach_blocked: [id] } });
  assert.match(view({}, blocked(7)).note, /blocks agents/);
  assert.doesNotMatch(view({}, blocked(8)).note, /blocks agents/);
});

test('a page of the hub cannot be shared, with a reason', () => {
  const shown = view({}, FREE, { title: 'Browser Pilot', url: 'http://localhost:8777/' });
  assert.equal(shown.canConnect, false);
  assert.match(shown.note, /hub's own page/);
});

test('a PDF that a page made can be shared while its viewer shows it', () => {
  assert.equal(view({}, FREE, { title: '', url: 'blob:https://example.com/6ba7b810' }).canConnect, true);
  assert.equal(view({}, FREE, { title: '', url: 'blob:chrome-extension://abc/6ba7b810' }).canConnect, false);
});

test('disconnected: shows the next retry, and never "connected"', () => {
  const shown = view({ phase: 'disconnected', retryAt: 1_400 });
  assert.deepEqual([shown.state, shown.kind, shown.canRetry], ['Hub offline', '', true]);
  assert.match(shown.problem, /Next try in 2 s/);
});

test('stopped and paused differ and can both be resumed', () => {
  const paused = view({}, { ...SHARED, hub: { halted: 'paused' } });
  const stopped = view({}, { ...FREE, hub: { halted: 'stopped' } });
  assert.deepEqual([paused.kind, paused.pause, paused.canStop], ['ask', 'Resume', true]);
  assert.deepEqual([stopped.kind, stopped.pause, stopped.canStop], ['stop', 'Resume', false]);
});

test('a version mismatch shows the message of the hub', () => {
  const shown = view({ phase: 'rejected', problem: 'The extension is older than the hub: update the extension.' });
  assert.match(shown.problem, /update the extension/);
  assert.equal(shown.kind, 'stop');
});

test('the last state of the hub is not shown while disconnected', () => {
  const shown = view({ phase: 'disconnected' }, { ...FREE, hub: { mode: 'ask' } });
  assert.deepEqual([shown.state, shown.mode, shown.tab], ['Hub offline', '', false]);
});

test('a shared tab can be taken back, and agents stopped and resumed, while disconnected', () => {
  const shared = view({ phase: 'disconnected' }, SHARED);
  assert.deepEqual([shared.tab, shared.canDisconnect, shared.canStop, shared.pause], [true, true, true, 'Pause']);
  const stopped = view({ phase: 'disconnected' }, { ...FREE, hub: { halted: 'stopped' } });
  assert.deepEqual([stopped.state, stopped.tab, stopped.pause], ['Stopped by you', true, 'Resume']);
});

test('a pending approval comes before anything else', () => {
  const approvals = [{ id: 'a', what: 'Click', site: 'shop.example', client: 'Claude', risk: 'high' }];
  const shown = view({}, { ...SHARED, hub: { ...SHARED.hub, approvals } });
  assert.deepEqual([shown.state, shown.kind, shown.approvals], ['Needs you', 'ask', 'An agent needs your approval.']);
  assert.equal(view({ phase: 'disconnected' }, { ...SHARED, hub: { approvals } }).approvals, '');
});

test('it shows the time since it connected', () => {
  assert.equal(view({ since: 1_000 }, FREE, PAGE, 62_000).connectedFor, 'Connected for 1 m 1 s');
  assert.equal(view({ phase: 'disconnected', since: 0 }).connectedFor, '');
});

test('the buttons name the window when whole windows are shared', () => {
  const shown = view({}, { ...FREE, wholeWindow: true });
  assert.deepEqual([shown.connect, shown.disconnect], ['Connect all tabs of this window', 'Disconnect this window']);
});
