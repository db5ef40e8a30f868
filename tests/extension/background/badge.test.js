/** The badge of the toolbar button and the notifications for pending approval requests. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import '../locale.js';
import { Badge } from '../../../src/browser_pilot/extension/background/badge.js';

const APPROVAL = { id: 'q1', what: 'Click “Pay now”', site: 'shop.example', client: 'Claude', risk: 'high' };
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
      create: async (id, options) => void (shown[id] = options),
      clear: async (id) => void delete shown[id],
    },
  });
});

test('the badge counts pending approvals and disappears with the last one', async () => {
  await new Badge().update({ approvals: [APPROVAL, { ...APPROVAL, id: 'q2' }] });
  assert.equal(badge, '2');
  await new Badge().update({ approvals: [] });
  assert.equal(badge, '');
});

test('there is no notification unless the user turned them on', async () => {
  await new Badge().update({ approvals: [APPROVAL] });
  assert.deepEqual(shown, {});
});

test('a notification shows client, action and site, once, until its approval is decided', async () => {
  wanted = true;
  const badgeAndNotifications = new Badge();
  await badgeAndNotifications.update({ approvals: [APPROVAL] });
  assert.equal(shown.q1.title, 'Claude needs you');
  assert.match(shown.q1.message, /Pay now[^]*shop\.example/);
  const first = shown.q1;
  await badgeAndNotifications.update({ approvals: [APPROVAL] });
  assert.equal(shown.q1, first);
  await badgeAndNotifications.update({ approvals: [] });
  assert.deepEqual(shown, {});
});

test('the badge is shown without the notifications permission', async () => {
  wanted = true;
  delete chrome.notifications;
  await new Badge().update({ approvals: [APPROVAL] });
  assert.equal(badge, '1');
});
