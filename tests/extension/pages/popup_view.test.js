/** What the popup says in each state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './locale.js';

import { popupView } from '../../src/browser_pilot/extension/popup_view.js';

const LINK = { phase: 'connected', problem: '', server: '127.0.0.1:8777', since: 0, retryAt: 0, down: 0, up: 0 };
const PAGE = { title: 'Login', url: 'https://example.com/' };
const FREE = { tab: null, news: {} };
const SHARED = { tab: { kind: 'shared', since: 0 }, news: { agents: ['Claude'], mode: 'ask' } };
const view = (link = {}, tab = FREE, page = PAGE, now = 0) => popupView({ ...LINK, ...link }, tab, page, now);

test('not paired: asks for the code and offers nothing else', () => {
  const shown = view({ phase: 'unpaired' });
  assert.deepEqual([shown.pairing, shown.tab, shown.canConnect, shown.canSwitchOff], [true, false, false, false]);
});

test('connected with no tab shared: offers to connect it', () => {
  const shown = view();
  assert.deepEqual([shown.state, shown.kind, shown.canConnect, shown.canDisconnect], ['Connected', 'ok', true, false]);
});

test('a shared tab says with whom and for how long', () => {
  const shown = view({}, SHARED, PAGE, 332_000);
  assert.equal(shown.note, 'Shared with Claude · 5 m 32 s');
  assert.deepEqual([shown.canConnect, shown.canDisconnect, shown.pause, shown.canStop], [false, true, 'Pause', true]);
});

test('a page of the browser itself cannot be shared, and it says why', () => {
  const shown = view({}, FREE, { title: 'Settings', url: 'chrome://settings/' });
  assert.equal(shown.canConnect, false);
  assert.match(shown.note, /cannot be shared/);
});

test('a page that another extension keeps agents out of says so', () => {
  const barred = (/** @type {number} */ id) => ({ tab: { id: 7, kind: 'shared', since: 0 }, news: { barred: [id] } });
  assert.match(view({}, barred(7)).note, /lets no agent in/);
  assert.doesNotMatch(view({}, barred(8)).note, /lets no agent in/);
});

test('a PDF that a page made can be shared while its viewer shows it', () => {
  assert.equal(view({}, FREE, { title: '', url: 'blob:https://example.com/6ba7b810' }).canConnect, true);
  assert.equal(view({}, FREE, { title: '', url: 'blob:chrome-extension://abc/6ba7b810' }).canConnect, false);
});

test('hub away: says when it tries again, and never that it is connected', () => {
  const shown = view({ phase: 'away', retryAt: 1_400 });
  assert.deepEqual([shown.state, shown.kind, shown.canRetry], ['Hub away', '', true]);
  assert.match(shown.problem, /Next try in 2 s/);
});

test('stopped and paused are told apart and can be ended', () => {
  const paused = view({}, { ...SHARED, news: { halted: 'paused' } });
  const stopped = view({}, { ...FREE, news: { halted: 'stopped' } });
  assert.deepEqual([paused.kind, paused.pause, paused.canStop], ['ask', 'Resume', true]);
  assert.deepEqual([stopped.kind, stopped.pause, stopped.canStop], ['stop', 'Resume', false]);
});

test('a version mismatch shows what the hub says', () => {
  const shown = view({ phase: 'refused', problem: 'The extension is older than the hub: update the extension.' });
  assert.match(shown.problem, /update the extension/);
  assert.equal(shown.kind, 'stop');
});

test('what the hub last said does not show while it is away', () => {
  const shown = view({ phase: 'away' }, { ...SHARED, news: { halted: 'paused', mode: 'ask' } });
  assert.deepEqual([shown.state, shown.mode, shown.canDisconnect], ['Hub away', '', false]);
});

test('a question that waits is told before anything else', () => {
  const waiting = [{ id: 'a', what: 'Click', site: 'shop.example', client: 'Claude', risk: 'high' }];
  const shown = view({}, { ...SHARED, news: { ...SHARED.news, waiting } });
  assert.deepEqual([shown.state, shown.kind, shown.waiting], ['Needs you', 'ask', 'An agent waits for your answer.']);
  assert.equal(view({ phase: 'away' }, { ...SHARED, news: { waiting } }).waiting, '');
});

test('it says for how long it is connected', () => {
  assert.equal(view({ since: 1_000 }, FREE, PAGE, 62_000).since, 'Connected for 1 m 1 s');
  assert.equal(view({ phase: 'away', since: 0 }).since, '');
});

test('where a whole window is shared, the buttons say so', () => {
  const shown = view({}, { ...FREE, wholeWindow: true });
  assert.deepEqual([shown.connect, shown.disconnect], ['Connect all tabs of this window', 'Disconnect this window']);
});
