/** Messages, durations, and the texts of a page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../locale.js';
import { formatDuration, getMessage, localizePage } from '../../../src/browser_pilot/extension/lib/i18n.js';

test('a message without a translation shows its name', () => {
  assert.equal(getMessage('sharedWithMany', 3), 'Shared with 3 agents');
  assert.equal(getMessage('noSuchMessage'), 'noSuchMessage');
});

for (const [seconds, text] of [[-1, '0 s'], [59.9, '59 s'], [60, '1 m 0 s'], [3_599, '59 m 59 s'], [3_600, '1 h 0 m'], [90_000, '25 h 0 m']]) {
  test(`${seconds} seconds are shown as ${text}`, () => assert.equal(formatDuration(seconds), text));
}

test('a page gets its language, texts and attributes', () => {
  /** @param {Record<string, string>} attributes */
  const element = (attributes) => ({ attributes, textContent: '', getAttribute: (name) => attributes[name], setAttribute: (name, value) => void (attributes[name] = value) });
  const elements = [element({ 'data-i18n': 'pause' }), element({ 'data-i18n-label': 'filter' }), element({ 'data-i18n-title': 'stopAllHint' }), element({ 'data-i18n-placeholder': 'filterHint' })];
  const page = { documentElement: { lang: '' }, querySelectorAll: (selector) => elements.filter((one) => selector.slice(1, -1) in one.attributes) };
  localizePage(/** @type {any} */ (page));
  assert.equal(page.documentElement.lang, 'en');
  assert.deepEqual([elements[0].textContent, elements[1].attributes['aria-label'], elements[3].attributes.placeholder], ['Pause', 'Filter', 'tool, site, text …']);
  assert.match(elements[2].attributes.title, /all tabs/);
});
