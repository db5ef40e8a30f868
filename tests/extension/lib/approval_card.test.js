/** Keys and announcement of an approval request; its card is tested in Chrome. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { announcement, choiceForKey, choiceLabel } from '../../../src/browser_pilot/extension/lib/approval_card.js';

const REQUEST = { id: 'q', client_name: 'Claude', what: 'Click “Pay now”', site: 'shop.example', risk: 'high', choices: ['once', 'deny'] };

test('a key stands for a choice only if the request offers it', () => {
  assert.equal(choiceForKey(REQUEST, 'a'), 'once');
  assert.equal(choiceForKey(REQUEST, 'D'), 'deny');
  assert.equal(choiceForKey(REQUEST, 's'), undefined);
  assert.equal(choiceForKey(REQUEST, 'Escape'), undefined);
});

test('the announcement contains client, action, site and risk', () => {
  assert.equal(announcement(REQUEST), 'Needs you: Claude wants to Click “Pay now”. shop.example. High risk.');
});

test('“always” says what it allows', () => {
  const request = { ...REQUEST, labels: {}, about: 'action' };
  assert.equal(choiceLabel({ ...request, risk: 'low' }, 'always'), 'Always allow low-risk actions on shop.example');
  assert.equal(choiceLabel(request, 'always'), 'Always allow all actions, also of high risk, on shop.example');
  assert.equal(choiceLabel({ ...request, about: 'site' }, 'always'), 'Always allow agents to use shop.example');
  assert.equal(choiceLabel({ ...request, labels: { always: 'Always allow this guest here' } }, 'always'), 'Always allow this guest here');
  assert.equal(choiceLabel(request, 'once'), 'Allow once');
});
