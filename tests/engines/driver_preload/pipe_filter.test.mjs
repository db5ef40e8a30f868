/** What the filter in the CDP pipe drops, holds, counts and stops. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FLOOD_WEIGHT, HELD, LIMITS, MAX_FLOOD_WINDOWS, MAX_MESSAGE_BYTES, MAX_SEVERE_WINDOWS } from '../../../src/browser_pilot/extension/lib/event_limits.mjs';
import { DELAY_MS, DOCUMENT_BURST, DROPPED_EVENT, MAX_STOPS, POPUP_BURST, PipeFilter } from '../../../src/browser_pilot/engines/driver_preload/pipe_filter.mjs';

const PAGE = 'A1';
const OTHER = 'B2';

/** A filter with one page and another one, and everything that it forwarded and sent. */
function started() {
  const [forwarded, sent] = [[], []];
  const clock = { ms: 0 };
  const filter = new PipeFilter(
    (chunk) => forwarded.push(...chunk.toString().split('\0').filter(Boolean).map((text) => JSON.parse(text))),
    (command) => sent.push(JSON.parse(command)),
    () => clock.ms,
  );
  const push = (...events) => filter.push(Buffer.from(events.map((event) => `${JSON.stringify(event)}\0`).join('')));
  for (const [sessionId, targetId] of [[PAGE, 'page'], [OTHER, 'other']]) {
    push({ method: 'Target.attachedToTarget', params: { sessionId, targetInfo: { targetId, type: 'page', browserContextId: 'c' } } });
  }
  forwarded.length = 0;
  return { filter, push, forwarded, sent, clock };
}

const line = (sessionId = PAGE, text = 'x') => ({ method: 'Runtime.consoleAPICalled', params: { type: 'log', args: [text] }, sessionId });
const request = (requestId, loaderId = 'L') => ({ method: 'Network.requestWillBeSent', params: { requestId, loaderId, documentURL: '' }, sessionId: PAGE });
const reports = (forwarded) => forwarded.filter((event) => event.method === DROPPED_EVENT);
const scripts = (sent) => sent.filter((command) => command.method === 'Emulation.setScriptExecutionDisabled').map((command) => command.params.value);

function endWindows(filter, count) {
  for (let index = 0; index < count; index += 1) {
    filter.endWindow();
  }
}

test('messages pass unchanged, however they are cut into chunks', () => {
  const { filter, forwarded } = started();
  const events = [line(), { id: 3, result: {}, sessionId: PAGE }, { method: 'Page.frameNavigated', params: { frame: { id: 'ü' } }, sessionId: PAGE }];
  const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\0`).join(''));
  for (let size = 1; size <= bytes.length; size += 1) {
    forwarded.length = 0;
    for (let start = 0; start < bytes.length; start += size) {
      filter.push(bytes.subarray(start, start + size));
    }
    assert.deepEqual(forwarded.slice(0, 3), events);
  }
});

test('console lines beyond the limit are dropped, counted and reported, those of another page pass', () => {
  const { filter, push, forwarded, clock } = started();
  const { burst, perSecond } = LIMITS.get('Runtime.consoleAPICalled');
  push(...Array.from({ length: burst + 70 }, () => line()), line(OTHER));
  assert.equal(forwarded.filter((event) => event.sessionId === PAGE).length, burst);
  assert.equal(forwarded.filter((event) => event.sessionId === OTHER).length, 1);
  endWindows(filter, 4);
  assert.deepEqual(reports(forwarded), [{ method: DROPPED_EVENT, params: { dropped: { console: 70 }, stopped: false }, sessionId: PAGE }]);
  clock.ms += 1_000;
  forwarded.length = 0;
  push(...Array.from({ length: burst }, () => line()));
  assert.equal(forwarded.length, perSecond);
});

test('every session of the page gets the report, also one that was attached through a session of the browser', () => {
  const { filter, push, forwarded } = started();
  push(
    { method: 'Target.attachedToTarget', params: { sessionId: 'E1', targetInfo: { targetId: 'browser', type: 'browser' } } },
    { method: 'Target.attachedToTarget', params: { sessionId: 'E2', targetInfo: { targetId: 'page', type: 'page' } }, sessionId: 'E1' },
    ...Array.from({ length: LIMITS.get('Runtime.consoleAPICalled').burst + 1 }, () => line()),
  );
  endWindows(filter, 4);
  assert.deepEqual(reports(forwarded).map((event) => event.sessionId), [PAGE, 'E2']);
});

test('a very long console line is dropped without being collected', () => {
  const { filter, push, forwarded } = started();
  const bytes = Buffer.from(`${JSON.stringify(line(PAGE, 'x'.repeat(3 * MAX_MESSAGE_BYTES)))}\0`);
  for (let start = 0; start < bytes.length; start += 65_536) {
    filter.push(bytes.subarray(start, start + 65_536));
    assert.ok(filter.pendingBytes <= MAX_MESSAGE_BYTES + 65_536);
  }
  push(line(PAGE, 'next'));
  assert.deepEqual(forwarded, [line(PAGE, 'next')]);
});

test('a dropped request has no later events, and requests of documents are never dropped', () => {
  const { push, forwarded } = started();
  const { burst } = LIMITS.get('Network.requestWillBeSent');
  const after = (requestId) => ({ method: 'Network.loadingFinished', params: { requestId }, sessionId: PAGE });
  push(...Array.from({ length: burst + 1 }, (_, index) => request(`r${index}`)));
  forwarded.length = 0;
  push(after('r0'), after(`r${burst}`), request('D1', 'D1'));
  assert.deepEqual(forwarded, [after('r0'), request('D1', 'D1')]);
});

test('of same-document navigations the latest is never lost', () => {
  const { filter, push, forwarded } = started();
  const to = (url) => ({ method: HELD.method, params: { frameId: 'F', url }, sessionId: PAGE });
  push(...Array.from({ length: HELD.burst + 50 }, (_, index) => to(`#${index}`)));
  assert.equal(forwarded.length, HELD.burst);
  filter.endWindow();
  assert.deepEqual(forwarded.at(-1), to(`#${HELD.burst + 49}`));
  forwarded.length = 0;
  const document = { method: 'Page.frameNavigated', params: { frame: { id: 'F' } }, sessionId: PAGE };
  push(to('#last'), document);
  assert.deepEqual(forwarded, [to('#last'), document]);
});

test('a page that goes on flooding is stopped, once it is reported, and its next document runs scripts', () => {
  const { filter, push, forwarded, sent } = started();
  for (let window = 0; window < MAX_FLOOD_WINDOWS; window += 1) {
    assert.deepEqual(sent, []);
    push(...Array.from({ length: FLOOD_WEIGHT }, () => line()));
    filter.endWindow();
  }
  assert.deepEqual(scripts(sent), [true]);
  endWindows(filter, 8);
  assert.deepEqual(reports(forwarded).map((event) => event.params.stopped), [true]);
  push(request('D2', 'D2'));
  assert.deepEqual(scripts(sent), [true, false]);
});

test('dialogs that an agent answers one by one are no flood, those that the hub dismisses are', () => {
  const { filter, push, sent } = started();
  const dialog = { method: 'Page.javascriptDialogOpening', params: { type: 'alert' }, sessionId: PAGE };
  const open = (count) => {
    for (let window = 0; window < MAX_FLOOD_WINDOWS; window += 1) {
      push(...Array.from({ length: count }, () => dialog));
      filter.endWindow();
    }
  };
  open(1);
  assert.deepEqual(sent, []);
  open(2);
  assert.deepEqual(scripts(sent), [true]);
});

test('a burst is no flood, a severe flood is stopped sooner', () => {
  const { filter, push, sent } = started();
  push(...Array.from({ length: 20 * FLOOD_WEIGHT }, () => line()));
  endWindows(filter, 20);
  assert.deepEqual(sent, []);
  for (let window = 0; window < MAX_SEVERE_WINDOWS; window += 1) {
    push(...Array.from({ length: 20 * FLOOD_WEIGHT }, () => line()));
    filter.endWindow();
  }
  assert.deepEqual(scripts(sent), [true]);
});

test('a flooding worker is paused, and a page that cannot be stopped is crashed', () => {
  const { filter, push, sent, forwarded } = started();
  const flood = (sessionId) => {
    for (let window = 0; window < MAX_FLOOD_WINDOWS; window += 1) {
      push(...Array.from({ length: FLOOD_WEIGHT }, () => line(sessionId)));
      filter.endWindow();
    }
  };
  for (let worker = 0; worker <= MAX_STOPS; worker += 1) {
    push({ method: 'Target.attachedToTarget', params: { sessionId: `C${worker}`, targetInfo: { targetId: `w${worker}`, type: 'worker' } }, sessionId: PAGE });
  }
  flood('C0');
  assert.deepEqual(sent.map((command) => [command.method, command.sessionId]), [['Debugger.enable', 'C0'], ['Debugger.pause', 'C0']]);
  endWindows(filter, 4);
  assert.equal(reports(forwarded).at(-1).sessionId, PAGE);
  for (let worker = 1; worker <= MAX_STOPS; worker += 1) {
    flood(`C${worker}`);
  }
  assert.deepEqual(sent.filter((command) => command.method === 'Page.crash').map((command) => command.sessionId), [PAGE]);
});

test('popups beyond the limit are closed before Playwright sees them, also popups of popups', () => {
  const { filter, push, forwarded, sent } = started();
  const popup = (number, openerId) => ({
    method: 'Target.attachedToTarget',
    params: { sessionId: `D${number}`, targetInfo: { targetId: `p${number}`, type: 'page', openerId, browserContextId: 'c' } },
  });
  push(popup(0, 'page'), ...Array.from({ length: POPUP_BURST }, (_, index) => popup(index + 1, 'p0')), popup(99, 'other'));
  assert.deepEqual(forwarded.map((event) => event.params.targetInfo.targetId), [...Array.from({ length: POPUP_BURST }, (_, index) => `p${index}`), 'p99']);
  assert.deepEqual(sent.map((command) => command.method), ['Runtime.runIfWaitingForDebugger', 'Target.closeTarget']);
  assert.equal(sent[1].params.targetId, `p${POPUP_BURST}`);
  endWindows(filter, 4);
  assert.deepEqual(reports(forwarded).map((event) => [event.sessionId, event.params.dropped]), [[PAGE, { popup: 1 }]]);
});

test('the documents of a page that navigates in a loop are delayed until it comes to rest', () => {
  const { filter, push, sent, clock } = started();
  const latencies = () => sent.filter((command) => command.method === 'Network.emulateNetworkConditions').map((command) => command.params.latency);
  push(...Array.from({ length: DOCUMENT_BURST }, (_, index) => request(`D${index}`, `D${index}`)));
  assert.deepEqual(latencies(), []);
  push(request('D98', 'D98'), request('D99', 'D99'));
  assert.deepEqual(latencies(), [DELAY_MS]);
  filter.endWindow();
  assert.deepEqual(latencies(), [DELAY_MS]);
  clock.ms += 60_000;
  filter.endWindow();
  assert.deepEqual(latencies(), [DELAY_MS, 0]);
});

test('responses to the own commands do not reach Playwright', () => {
  const { push, forwarded } = started();
  push({ id: 1_500_000_001, result: {}, sessionId: PAGE }, { id: 7, result: {} });
  assert.deepEqual(forwarded, [{ id: 7, result: {} }]);
});
