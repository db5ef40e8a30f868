/** Long texts of an approval request; the collapsed element is tested in Chrome. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginningOf, MAX_COLLAPSED_CHARACTERS } from '../../../src/browser_pilot/extension/lib/long_text.js';

test('a short text is shown as it is', () => {
  assert.equal(beginningOf(''), null);
  assert.equal(beginningOf('x'.repeat(MAX_COLLAPSED_CHARACTERS)), null);
  assert.equal(beginningOf('😀'.repeat(MAX_COLLAPSED_CHARACTERS)), null);
});

test('a long text is collapsed to its beginning, without splitting a character', () => {
  assert.equal(beginningOf('x'.repeat(MAX_COLLAPSED_CHARACTERS + 1)), 'x'.repeat(MAX_COLLAPSED_CHARACTERS));
  assert.equal(beginningOf('😀'.repeat(1000)), '😀'.repeat(MAX_COLLAPSED_CHARACTERS));
});
