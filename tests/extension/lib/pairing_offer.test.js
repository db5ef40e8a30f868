/** Which offers of a page to pair are accepted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isOffer, refusalOf } from '../../../src/browser_pilot/extension/lib/pairing_offer.js';

const UNPAIRED = { server: '127.0.0.1:8777', browser: '' };
const OFFER = { pair: 'ABCD-1234' };

test('the page of the configured hub may offer its code', () => {
  assert.equal(isOffer(OFFER, 'http://127.0.0.1:8777'), true);
  assert.equal(refusalOf('http://127.0.0.1:8777', UNPAIRED), '');
  assert.equal(refusalOf('http://localhost:8777', UNPAIRED), '');
  assert.equal(refusalOf('http://127.0.0.1:8777', { ...UNPAIRED, server: 'localhost:8777' }), '');
});

test('an offer never replaces a pairing', () => {
  assert.equal(refusalOf('http://127.0.0.1:8777', { ...UNPAIRED, browser: 'b1' }), 'paired');
});

for (const origin of ['http://127.0.0.1:28941', 'http://localhost:80', 'http://127.0.0.1:87770']) {
  test(`the page at ${origin} is not the configured hub`, () => {
    assert.equal(refusalOf(origin, UNPAIRED), 'other_server');
  });
}

for (const origin of ['https://127.0.0.1:8777', 'http://evil.test:8777', 'http://127.0.0.1.evil.test:8777', 'null', '']) {
  test(`an offer from ${origin || 'nowhere'} is invalid`, () => {
    assert.equal(isOffer(OFFER, origin), false);
  });
}

for (const message of [undefined, {}, { pair: 1 }, { pair: null }]) {
  test(`${JSON.stringify(message)} is no offer`, () => {
    assert.equal(isOffer(message, 'http://127.0.0.1:8777'), false);
  });
}
