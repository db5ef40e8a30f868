/** The policy's rules hold while tabs are controlled, for every request except the user's own. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { DnrRules } from '../../../src/browser_pilot/extension/background/dnr_rules.js';

const RULE = { id: 1, action: { type: 'block' }, condition: { urlFilter: '||evil.example^' } };
/** @type {any[]} */
let session = [];
/** @type {Record<string, unknown>} */
let stored = {};
/** @type {Record<number, string[]>} */
let frames = {};
/** @type {{ id: number, url: string }[]} */
let tabs = [];
const storage = { get: async () => stored, set: async (items) => void Object.assign(stored, items) };

beforeEach(() => {
  session = [];
  stored = {};
  frames = {};
  tabs = [];
  globalThis.chrome = {
    runtime: { id: 'ours' },
    tabs: { query: async () => tabs },
    webNavigation: { getAllFrames: async ({ tabId }) => (frames[tabId] ?? []).map((url) => ({ url })) },
    declarativeNetRequest: {
      getSessionRules: async () => session,
      updateSessionRules: async ({ removeRuleIds, addRules }) => void (session = [...session.filter((rule) => !removeRuleIds.includes(rule.id)), ...addRules]),
    },
  };
});

/** @param {DnrRules} rules */
async function settled(rules) {
  await new Promise(setImmediate);
  await rules.applying;
  return { rules: session.filter((rule) => rule.id < 1_000_000), users: session.find((rule) => rule.condition.tabIds?.[0] !== -1 && rule.action.type === 'allow'), workers: session.find((rule) => rule.condition.tabIds?.[0] === -1) };
}

test('without controlled tabs there is no rule', async () => {
  const rules = new DnrRules(storage);
  await rules.setRules([RULE]);
  await rules.exempt(1, 'https://user.example/');
  assert.deepEqual(session, []);
});

test('rules name no tab; the tabs of the user are exempt', async () => {
  const rules = new DnrRules(storage);
  await rules.setRules([RULE]);
  await rules.exempt(1, 'https://user.example/');
  await rules.exempt(2, 'https://shared.example/');
  rules.setTabs([2]);
  const now = await settled(rules);
  assert.deepEqual(now.rules, [RULE]);
  assert.deepEqual(now.users.condition.tabIds, [1]);
  rules.setTabs([]);
  assert.deepEqual((await settled(rules)).rules, []);
});

test('workers of sites that only the user has open are exempt', async () => {
  const rules = new DnrRules(storage);
  await rules.setRules([RULE]);
  await rules.exempt(1, 'https://user.example/');
  await rules.exempt(2, 'https://both.example/');
  await rules.exempt(3, 'https://[::1]/');
  frames = { 4: ['https://agent.example/', 'blob:https://both.example/1', 'about:blank'] };
  rules.setTabs([4]);
  const { condition } = (await settled(rules)).workers;
  assert.deepEqual(condition.initiatorDomains, ['ours', 'user.example']);
  assert.deepEqual(condition.excludedInitiatorDomains, ['agent.example', 'both.example']);
  await rules.addHost(4, 'https://user.example/frame');
  assert.deepEqual((await settled(rules)).workers.condition.initiatorDomains, ['ours']);
});

test('no site is exempt for a tab with too many hosts', async () => {
  const rules = new DnrRules(storage);
  await rules.setRules([RULE]);
  await rules.exempt(1, 'https://user.example/');
  frames = { 2: Array.from({ length: 5_000 }, (_, number) => `https://h${number}.example/`) };
  rules.setTabs([2]);
  const { condition } = (await settled(rules)).workers;
  assert.deepEqual(condition.initiatorDomains, ['ours']);
  assert.equal(condition.excludedInitiatorDomains, undefined);
});

test('a released tab is exempt again, and a closed one is forgotten', async () => {
  const rules = new DnrRules(storage);
  await rules.setRules([RULE]);
  rules.setTabs([1, 2, 3]);
  rules.setTabs([1]);
  await rules.remove(3);
  assert.deepEqual((await settled(rules)).users.condition.tabIds, [2]);
});

test('rules survive the service worker', async () => {
  await new DnrRules(storage).setRules([RULE]);
  tabs = [{ id: 3, url: 'https://agent.example/' }, { id: 4, url: 'https://user.example/' }];
  const next = new DnrRules(storage);
  await next.load((id) => id === 3);
  const now = await settled(next);
  assert.deepEqual([now.rules, now.users.condition.tabIds], [[RULE], [4]]);
});

test('rules that arrive during an update are applied after it', async () => {
  const rules = new DnrRules(storage);
  rules.setTabs([1]);
  void rules.setRules([RULE]);
  await rules.setRules([{ ...RULE, id: 2 }]);
  assert.deepEqual((await settled(rules)).rules, [{ ...RULE, id: 2 }]);
});

test('an update that Chrome rejects does not block the next one', async () => {
  const rules = new DnrRules(storage);
  const { updateSessionRules } = chrome.declarativeNetRequest;
  chrome.declarativeNetRequest.updateSessionRules = () => Promise.reject(new Error('Invalid rule.'));
  await assert.rejects(rules.setRules([RULE]), /Invalid/);
  chrome.declarativeNetRequest.updateSessionRules = updateSessionRules;
  rules.setTabs([1]);
  assert.deepEqual((await settled(rules)).rules, [RULE]);
});
