/** Every language has every message, every message that a page uses exists, and every message is used. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { dashboardMessages, extensionMessages } from './locale.js';

const PACKAGE = new URL('../../src/browser_pilot/', import.meta.url);
const LOCALES = readdirSync(new URL('extension/_locales/', PACKAGE));

/** @param {string} folder */
const sourcesIn = (folder) => readdirSync(new URL(folder, PACKAGE), { recursive: true })
  .filter((name) => /\.(js|html)$/.test(name)).map((name) => [name, readFileSync(new URL(folder + name, PACKAGE), 'utf8')]);

for (const [owner, messagesFor] of [['the extension', extensionMessages], ['the dashboard', dashboardMessages]]) {
  for (const locale of LOCALES) {
    test(`${owner} has the same messages in ${locale}, with the same placeholders`, () => {
      const messages = messagesFor(locale);
      assert.deepEqual(Object.keys(messages), Object.keys(messagesFor('en')));
      for (const [name, { message, placeholders = {} }] of Object.entries(messages)) {
        const used = [...message.matchAll(/\$(\w+)\$/g)].map(([, placeholder]) => placeholder.toLowerCase());
        assert.deepEqual([...new Set(used)].sort(), Object.keys(placeholders).sort(), name);
        assert.deepEqual(placeholders, messagesFor('en')[name].placeholders ?? {}, name);
      }
    });
  }
}

test('no message of the dashboard hides one of the extension', () => {
  const both = Object.keys(dashboardMessages('en')).filter((name) => name in extensionMessages('en'));
  assert.deepEqual(both, []);
});

for (const [folder, messages] of [['extension/', extensionMessages('en')], ['ui/dashboard/static/', { ...extensionMessages('en'), ...dashboardMessages('en') }]]) {
  test(`every message that ${folder} uses exists`, () => {
    for (const [file, source] of sourcesIn(folder)) {
      const used = [...source.matchAll(/\bgetMessage\('(\w+)'|data-i18n(?:-\w+)?="(\w+)"/g)].map(([, inScript, inPage]) => inScript ?? inPage);
      for (const name of used) assert.ok(name in messages, `${file} uses ${name}`);
    }
  });
}

test('every message is used', () => {
  const sources = [...sourcesIn('extension/'), ...sourcesIn('ui/dashboard/static/')].map(([, source]) => source).join('\n');
  const manifest = readFileSync(new URL('extension/manifest.json', PACKAGE), 'utf8');
  const signIn = readFileSync(new URL('ui/dashboard/sign_in_pages.py', PACKAGE), 'utf8');
  const isUsed = (name) => new RegExp(`['"]${name}['"]`).test(sources) || manifest.includes(`__MSG_${name}__`)
    || signIn.includes(`"${name.replace(/(Title|Text)$/, '')}"`);
  const unused = Object.keys({ ...extensionMessages('en'), ...dashboardMessages('en') }).filter((name) => !isUsed(name));
  assert.deepEqual(unused, []);
});
