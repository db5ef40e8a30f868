/** The theme of a page follows the user's choice, whichever page it was made in. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { chooseTheme, dashboardTheme, extensionTheme, followTheme } from '../../../src/browser_pilot/extension/lib/theme.js';

let stored = {};
/** @type {((changes: object) => void)[]} */
let listeners = [];

beforeEach(() => {
  stored = {};
  listeners = [];
  globalThis.document = { documentElement: { dataset: {} } };
  globalThis.chrome = {
    storage: {
      local: {
        get: async (defaults) => ({ ...defaults, ...stored }),
        set: async (items) => {
          Object.assign(stored, items);
          for (const listener of listeners) listener(items);
        },
        onChanged: { addListener: (listener) => listeners.push(listener) },
      },
    },
  };
  globalThis.window = new EventTarget();
  globalThis.localStorage = { getItem: (key) => stored[key] ?? null, setItem: (key, value) => void (stored[key] = value) };
});

const shown = () => document.documentElement.dataset.theme;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('without a choice it is the system\'s theme', async () => {
  await followTheme(extensionTheme);
  assert.equal(shown(), 'system');
  await followTheme(dashboardTheme);
  assert.equal(shown(), 'system');
});

test('a choice made in another page of the extension is applied', async () => {
  /** @type {string[]} */
  const applied = [];
  await followTheme(extensionTheme, (theme) => applied.push(theme));
  await extensionTheme.save('dark');
  await settled();
  assert.deepEqual([shown(), applied], ['dark', ['system', 'dark']]);
});

test('a choice made in another tab of the dashboard is applied, other storage events are ignored', async () => {
  await followTheme(dashboardTheme);
  stored['browser-pilot-theme'] = 'dark';
  window.dispatchEvent(Object.assign(new Event('storage'), { key: 'browser-pilot-key' }));
  await settled();
  assert.equal(shown(), 'system');
  window.dispatchEvent(Object.assign(new Event('storage'), { key: 'browser-pilot-theme' }));
  await settled();
  assert.equal(shown(), 'dark');
});

test('a choice is applied at once and kept', async () => {
  for (const store of [extensionTheme, dashboardTheme]) {
    await chooseTheme(store, 'light');
    assert.deepEqual([shown(), await store.load()], ['light', 'light']);
  }
});
