/** Every language has every word, and no page asks for a word that does not exist. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { dashboardMessagesOf, messagesOf } from './locale.js';

const PACKAGE = new URL('../../src/browser_pilot/', import.meta.url);
const LOCALES = readdirSync(new URL('extension/_locales/', PACKAGE));

for (const [whose, messagesFor] of [['the extension', messagesOf], ['the dashboard', dashboardMessagesOf]]) {
  for (const locale of LOCALES) {
    test(`${whose} has the same words in ${locale}, with the same places to fill in`, () => {
      const messages = messagesFor(locale);
      assert.deepEqual(Object.keys(messages), Object.keys(messagesFor('en')));
      for (const [name, { message, placeholders = {} }] of Object.entries(messages)) {
        const used = [...message.matchAll(/\$(\w+)\$/g)].map(([, holder]) => holder.toLowerCase());
        assert.deepEqual([...new Set(used)].sort(), Object.keys(placeholders).sort(), name);
      }
    });
  }
}

test('no word of the dashboard hides one of the extension', () => {
  const both = Object.keys(dashboardMessagesOf('en')).filter((name) => name in messagesOf('en'));
  assert.deepEqual(both, []);
});

for (const [folder, words] of [['extension/', messagesOf('en')], ['dashboard/static/', { ...messagesOf('en'), ...dashboardMessagesOf('en') }]]) {
  test(`every word that ${folder} asks for is there`, () => {
    for (const file of readdirSync(new URL(folder, PACKAGE)).filter((name) => /\.(js|html)$/.test(name))) {
      const source = readFileSync(new URL(folder + file, PACKAGE), 'utf8');
      const asked = [...source.matchAll(/\btext\('(\w+)'|data-(?:text|label|title|hint)="(\w+)"/g)].map(([, one, other]) => one ?? other);
      for (const name of asked) assert.ok(name in words, `${file} asks for ${name}`);
    }
  });
}

test('the pages before the dashboard say the same without their script', () => {
  const words = dashboardMessagesOf('en');
  for (const file of ['signed_out', 'too_late', 'elsewhere', 'entered']) {
    const source = readFileSync(new URL(`dashboard/static/${file}.html`, PACKAGE), 'utf8');
    for (const [, name, said] of source.matchAll(/data-text="(\w+)">([^<]+)</g)) assert.equal(said, words[name].message);
  }
});
