/** The list of controlled tabs: kept across restarts of the service worker, and reported after every change. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ControlledTabs } from '../../../src/browser_pilot/extension/background/controlled_tabs.js';

/** @param {Record<string, unknown>} items */
const storageWith = (items = {}) => ({ items, get: async () => structuredClone(items), set: async (more) => void Object.assign(items, structuredClone(more)) });

function controlledTabs(storage = storageWith()) {
  /** @type {number[][]} */
  const reported = [];
  return { storage, reported, tabs: new ControlledTabs(storage, (list) => reported.push(list.map((tab) => tab.id))) };
}

test('a tab is in the list until it is removed, and each change is reported once', () => {
  const { tabs, reported } = controlledTabs();
  tabs.add(1, 'shared', 10);
  tabs.add(1, 'agent', 20);
  tabs.add(2, 'agent', 30, 1);
  assert.deepEqual(tabs.list(), [{ id: 1, kind: 'shared', since: 10 }, { id: 2, kind: 'agent', since: 30, opener: 1 }]);
  assert.deepEqual([tabs.remove(1), tabs.remove(1), tabs.has(1), tabs.has(2), tabs.has(undefined)], [true, false, false, true, false]);
  tabs.clear();
  tabs.clear();
  assert.deepEqual(reported, [[1], [1, 2], [2], []]);
});

test('the list survives the service worker', async () => {
  const { tabs, storage } = controlledTabs();
  tabs.add(7, 'shared', 1);
  const next = controlledTabs(storage);
  await next.tabs.load();
  assert.deepEqual(next.tabs.get(7), { id: 7, kind: 'shared', since: 1 });
  assert.deepEqual(next.reported, []);
});

test('a tab keeps its control when Chrome replaces its id', () => {
  const { tabs } = controlledTabs();
  tabs.add(1, 'shared', 10);
  tabs.replaceId(1, 5);
  tabs.replaceId(9, 6);
  assert.deepEqual(tabs.list(), [{ id: 5, kind: 'shared', since: 10 }]);
});
