/** The network rules apply to controlled tabs only. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { DnrRules } from '../../../src/browser_pilot/extension/background/dnr_rules.js';

const RULE = { id: 1, action: { type: 'block' }, condition: { urlFilter: '||evil.example^' } };
/** @type {object[]} */
let session = [];
/** @type {Record<string, unknown>} */
let stored = {};
const storage = { get: async () => stored, set: async (items) => void Object.assign(stored, items) };

beforeEach(() => {
  session = [];
  stored = {};
  globalThis.chrome = {
    declarativeNetRequest: {
      getSessionRules: async () => session,
      updateSessionRules: async ({ removeRuleIds, addRules }) => void (session = [...session.filter((rule) => !removeRuleIds.includes(rule.id)), ...addRules]),
    },
  };
});

test('without controlled tabs there is no rule', async () => {
  await new DnrRules(storage).setRules([RULE]);
  assert.deepEqual(session, []);
});

test('rules follow the list of tabs, and the last change wins', async () => {
  const rules = new DnrRules(storage);
  void rules.setRules([RULE]);
  rules.setTabs([1]);
  rules.setTabs([1, 2]);
  await rules.applying;
  assert.deepEqual(session, [{ ...RULE, condition: { urlFilter: '||evil.example^', tabIds: [1, 2] } }]);
  rules.setTabs([]);
  await rules.applying;
  assert.deepEqual(session, []);
});

test('rules survive the service worker', async () => {
  await new DnrRules(storage).setRules([RULE]);
  const next = new DnrRules(storage);
  await next.load();
  next.setTabs([3]);
  await next.applying;
  assert.deepEqual(session.map((rule) => rule.condition.tabIds), [[3]]);
});

test('an update that Chrome rejects does not block the next one', async () => {
  const rules = new DnrRules(storage);
  const { updateSessionRules } = chrome.declarativeNetRequest;
  chrome.declarativeNetRequest.updateSessionRules = () => Promise.reject(new Error('Invalid rule.'));
  await assert.rejects(rules.setRules([RULE]), /Invalid/);
  chrome.declarativeNetRequest.updateSessionRules = updateSessionRules;
  rules.setTabs([1]);
  await rules.applying;
  assert.equal(session.length, 1);
});
