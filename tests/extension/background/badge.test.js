/** The number on the button and the notifications that tell of what waits. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import './locale.js';
import { Attention } from '../../src/browser_pilot/extension/attention.js';

const QUESTION = { id: 'q1', what: 'Click “Pay now”', site: 'shop.example', client: 'Claude', risk: 'high' };
let badge = '';
let shown = {};
let wanted = false;

beforeEach(() => {
  badge = '';
  shown = {};
  wanted = false;
  Object.assign(chrome, {
    action: { setBadgeText: async ({ text }) => void (badge = text), setBadgeBackgroundColor: async () => {} },
    storage: { local: { get: async () => ({ notify: wanted }) } },
    runtime: { getURL: (path) => path },
    notifications: {
      getAll: async () => shown,
      create: async (id, look) => void (shown[id] = look),
      clear: async (id) => void delete shown[id],
    },
  });
});

test('the badge counts what waits, and goes with the last of it', async () => {
  await new Attention().call({ waiting: [QUESTION, { ...QUESTION, id: 'q2' }] });
  assert.equal(badge, '2');
  await new Attention().call({ waiting: [] });
  assert.equal(badge, '');
});

test('nothing is notified unless the user wants it', async () => {
  await new Attention().call({ waiting: [QUESTION] });
  assert.deepEqual(shown, {});
});

test('a notification says who wants what and where, comes once, and goes with its question', async () => {
  wanted = true;
  const attention = new Attention();
  await attention.call({ waiting: [QUESTION] });
  assert.equal(shown.q1.title, 'Claude needs you');
  assert.match(shown.q1.message, /Pay now[^]*shop\.example/);
  const first = shown.q1;
  await attention.call({ waiting: [QUESTION] });
  assert.equal(shown.q1, first);
  await attention.call({ waiting: [] });
  assert.deepEqual(shown, {});
});

test('without the permission the badge is there all the same', async () => {
  wanted = true;
  delete chrome.notifications;
  await new Attention().call({ waiting: [QUESTION] });
  assert.equal(badge, '1');
});
