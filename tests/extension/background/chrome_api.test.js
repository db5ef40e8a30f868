/** The hub can call only the listed methods, and only for controlled tabs. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { chromeApi } from '../../../src/browser_pilot/extension/background/chrome_api.js';

const controlled = { ids: new Set([1]), list: () => [...controlled.ids].map((id) => ({ id })), has: (id) => controlled.ids.has(id), add: (id) => controlled.ids.add(id), remove: (id) => controlled.ids.delete(id) };
const halt = { reason: '' };
const call = chromeApi({
  controlled,
  halt,
  cover: async (id) => void calls.push(['cover', id]),
  release: async (id) => void calls.push(['release', id]),
});
/** @type {unknown[][]} */
let calls = [];
const results = {
  'Storage.getCookies': { cookies: [{ domain: 'example.com' }, { domain: 'bank.test' }] },
  'Page.getNavigationHistory': { entries: [{ id: 5, url: 'https://example.com/' }, { id: 6, url: 'file:///etc/passwd' }] },
};
/** @param {string} name @param {unknown} [result] */
const record = (name, result) => async (...args) => (calls.push([name, ...args]), result);

beforeEach(() => {
  calls = [];
  controlled.ids = new Set([1]);
  halt.reason = '';
  globalThis.chrome = {
    runtime: { id: 'ours' },
    debugger: { attach: record('attach'), detach: record('detach'), sendCommand: (...args) => (calls.push(['sendCommand', ...args]), Promise.resolve(results[args[1]] ?? 'done')), getTargets: async () => [{ tabId: 1 }, { tabId: 2 }, {}] },
    tabs: { get: record('get', { url: 'https://example.com/' }), remove: record('remove'), group: record('group'), create: record('create', { id: 3 }), update: record('update') },
    windows: { getAll: async () => [{ id: 8, focused: true, incognito: true }, { id: 9, focused: false, incognito: false }] },
    downloads: { download: record('download', 4), search: async ({ id }) => [{ id, byExtensionId: id === 4 ? 'ours' : 'other' }], erase: record('erase'), cancel: record('cancel'), removeFile: record('removeFile') },
  };
});

test('a call for a controlled tab is made', async () => {
  assert.equal(await call('debugger.sendCommand', [{ tabId: 1 }, 'Page.enable', {}]), 'done');
  assert.deepEqual(calls, [['sendCommand', { tabId: 1 }, 'Page.enable', {}]]);
});

for (const [name, args] of [
  ['debugger.attach', [{ tabId: 2 }, '1.3']], ['debugger.attach', [{ targetId: 'x' }, '1.3']], ['debugger.attach', []], ['tabs.get', [2]], ['tabs.remove', [2]],
  ['tabs.group', [{ tabIds: [1, 2] }]], ['tabs.navigate', [2, 'https://example.com/']], ['controlledTabs.release', [2]],
]) {
  test(`${name}(${JSON.stringify(args)}) is refused: the tab is not controlled`, async () => {
    await assert.rejects(call(name, args), /not shared/);
    assert.deepEqual(calls, []);
  });
}

for (const name of ['tabs.query', 'cookies.getAll', 'constructor', '__proto__', '']) {
  test(`the method "${name}" is refused`, () => assert.rejects(call(name, []), /may not call/));
}

for (const [name, args] of [
  ['tabs.create', [{ url: 'https://example.com/' }]], ['tabs.navigate', [1, 'https://example.com/']], ['tabs.activate', [1]], ['debugger.attach', [{ tabId: 1 }, '1.3']],
  ['debugger.sendCommand', [{ tabId: 1 }, 'Runtime.evaluate', {}]], ['debugger.sendCommand', []], ['downloads.saveBlob', [{ url: 'blob:https://example.com/x', filename: 'x' }]],
]) {
  test(`${name}(${JSON.stringify(args)}) is refused while the user has halted agents`, async () => {
    halt.reason = 'halted by the user';
    await assert.rejects(call(name, args), /halted by the user/);
    assert.deepEqual(calls, []);
  });
}

test('while halted, tabs can be released, and pages do not wait for the debugger', async () => {
  halt.reason = 'halted by the user';
  await call('debugger.sendCommand', [{ tabId: 1 }, 'Runtime.runIfWaitingForDebugger', {}]);
  await call('debugger.detach', [{ tabId: 1 }]);
  await call('controlledTabs.release', [1]);
  assert.deepEqual(calls.map(([name]) => name), ['sendCommand', 'detach', 'release']);
});

for (const args of [[{ tabId: 1 }, 'Network.getAllCookies', {}], [{ tabId: 1 }, 'Target.createTarget', { url: 'https://example.com/' }], [{ tabId: 1 }, 'Page.navigate', { url: 'file:///etc/passwd' }], [{ tabId: 1 }], []]) {
  test(`the command ${JSON.stringify(args)} is answered with an error`, async () => {
    await assert.rejects(call('debugger.sendCommand', args));
    assert.deepEqual(calls, []);
  });
}

test('cookies of other sites do not reach the hub', async () => {
  assert.deepEqual(await call('debugger.sendCommand', [{ tabId: 1 }, 'Storage.getCookies', {}]), { cookies: [{ domain: 'example.com' }] });
  assert.deepEqual(await call('debugger.sendCommand', [{ tabId: 1 }, 'Network.getCookies', { urls: ['https://bank.test/'] }]), { cookies: [] });
  assert.deepEqual(await call('debugger.sendCommand', [{ tabId: 1 }, 'Network.getCookies', {}]), { cookies: [] });
  assert.deepEqual(calls.filter(([, , method]) => method === 'Network.getCookies'), []);
});

test('the history leads to web pages only', async () => {
  await assert.rejects(call('debugger.sendCommand', [{ tabId: 1 }, 'Page.navigateToHistoryEntry', { entryId: 6 }]), /web pages/);
  await assert.rejects(call('debugger.sendCommand', [{ tabId: 1 }, 'Page.navigateToHistoryEntry', {}]), /web pages/);
  await call('debugger.sendCommand', [{ tabId: 1 }, 'Page.navigateToHistoryEntry', { entryId: 5 }]);
  assert.equal(calls.filter(([, , method]) => method === 'Page.navigateToHistoryEntry').length, 1);
});

test('targets of other tabs are not listed', async () => {
  assert.deepEqual(await call('debugger.getTargets', []), [{ tabId: 1 }]);
});

test('a new tab is blank, in the background, never in an incognito window, and controlled before it is navigated', async () => {
  await call('tabs.create', [{ url: 'https://example.com/' }]);
  assert.deepEqual(calls, [['create', { url: 'about:blank', active: false, windowId: 9 }], ['cover', 3], ['update', 3, { url: 'https://example.com/' }]]);
  assert.ok(controlled.has(3));
});

test('a tab is opened for web pages only, and navigated to web pages only', async () => {
  for (const url of ['chrome://settings/', 'file:///etc/passwd', 'javascript:1']) await assert.rejects(call('tabs.create', [{ url }]), /web page/);
  for (const url of ['chrome://settings/', 'file:///etc/passwd', 'javascript:1']) await assert.rejects(call('tabs.navigate', [1, url]), /web page/);
  assert.deepEqual(calls, []);
});

test('only blobs are saved, under a plain file name', async () => {
  await assert.rejects(call('downloads.saveBlob', [{ url: 'https://example.com/x', filename: 'x' }]), /blob:/);
  await assert.rejects(call('downloads.saveBlob', [{ url: 'blob:https://example.com/x', filename: '../x' }]), /plain file name/);
  assert.equal(await call('downloads.saveBlob', [{ url: 'blob:https://example.com/x', filename: 'x' }]), 4);
});

test('downloads of the user cannot be discarded', async () => {
  await assert.rejects(call('downloads.discard', [5]), /No agent started/);
  assert.deepEqual(calls, []);
  await call('downloads.discard', [4]);
  assert.deepEqual(calls.at(-1), ['erase', { id: 4 }]);
});
