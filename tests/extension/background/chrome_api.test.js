/** The hub can call only the listed methods, and only for controlled tabs. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { chromeApi } from '../../../src/browser_pilot/extension/background/chrome_api.js';

const controlled = { ids: new Set([1]), has: (id) => controlled.ids.has(id), add: (id) => controlled.ids.add(id), remove: (id) => controlled.ids.delete(id) };
const call = chromeApi(controlled);
/** @type {unknown[][]} */
let calls = [];
/** @param {string} name @param {unknown} [result] */
const record = (name, result) => async (...args) => (calls.push([name, ...args]), result);

beforeEach(() => {
  calls = [];
  controlled.ids = new Set([1]);
  globalThis.chrome = {
    runtime: { id: 'ours' },
    debugger: { attach: record('attach'), sendCommand: record('sendCommand', 'done'), getTargets: async () => [{ tabId: 1 }, { tabId: 2 }, {}] },
    tabs: { get: record('get'), remove: record('remove'), group: record('group'), create: record('create', { id: 3 }), update: record('update') },
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

test('targets of other tabs are not listed', async () => {
  assert.deepEqual(await call('debugger.getTargets', []), [{ tabId: 1 }]);
});

test('a new tab is opened in the background, never in an incognito window, and is controlled', async () => {
  await call('tabs.create', [{ url: 'https://example.com/' }]);
  assert.deepEqual(calls, [['create', { url: 'https://example.com/', active: false, windowId: 9 }]]);
  assert.ok(controlled.has(3));
});

test('a tab is navigated to web pages only', async () => {
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
