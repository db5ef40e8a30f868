/** Keys and announcement of an approval request; its card is tested in Chrome. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { announcement, choiceForKey } from '../../../src/browser_pilot/extension/lib/approval_card.js';

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
