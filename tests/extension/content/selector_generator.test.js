/** Selectors that last: what they are made of, in which order, and what is never used. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../../src/browser_pilot/extension/selectors.js';

const { candidatesOf, choose, escaped, isGenerated, literal, quoted } = globalThis.browserPilotSelectors;

const facts = (more = {}) => ({ tag: 'button', role: 'button', name: 'Save', text: 'Save', id: '', classes: [], attributes: {}, place: 0, ...more });
const described = (target = {}, more = {}) => ({ target: facts(target), around: [], rows: [], labels: [], headings: [], ...more });
const selectors = (...given) => candidatesOf(described(...given)).map((one) => one.selector);

test('role and name come first, then a test id, then what labels it', () => {
  const found = selectors({ attributes: { 'data-testid': 'save', 'aria-label': 'Save' }, id: 'save' });
  assert.deepEqual(found.slice(0, 4), ['role=button[name="Save"]', '[data-testid="save"]', '#save', 'button[aria-label="Save"]']);
});

test('positions come last and are marked as fragile', () => {
  const found = candidatesOf(described({ place: 3, classes: ['primary'] }));
  const fragile = found.map((one) => one.fragile);
  assert.equal(fragile.indexOf(true), found.length - 2);
  assert.equal(found.at(-2).selector, 'button:nth-of-type(3)');
});

for (const word of ['css-1x2y3z', 'sc-bdVaJa1', 'header_x7Kq2', 'Button-module__3aZ9k', ':r1:', 'ember1234', 'jss42', 'a1b2c3d4e5', 'radix-7', 'svelte-1tky8bj', 'item-20391']) {
  test(`${word} is a word that a machine made up`, () => assert.equal(isGenerated(word), true));
}
for (const word of ['primary', 'btn-primary', 'main-nav', 'col-md-6', 'user_name', 'h1', 'step-2', 'navbarDropdown', 'header__title', 'searchInput', 'emailAddress']) {
  test(`${word} is a word that a person wrote`, () => assert.equal(isGenerated(word), false));
}

test('ids and classes that a machine made up are never used', () => {
  const found = selectors({ id: 'ember1234', classes: ['css-1x2y3z', 'primary'] }, { around: [facts({ tag: 'div', id: ':r1:', classes: ['sc-bdVaJa1'] })] });
  assert.ok(found.includes('button.primary'));
  assert.ok(!found.some((selector) => /ember|css-|:r1:|sc-/.test(selector)), found.join('\n'));
});

test('a thing among others of its kind is found by the text of its row', () => {
  const rows = [{ tag: 'li', depth: 1, texts: ['Cake', 'Remove'] }];
  const found = selectors({ name: 'Remove', text: 'Remove' }, { rows });
  assert.ok(found.includes('//li[.//text()[normalize-space()="Cake"]]//button[normalize-space()="Remove"]'));
});

test('a thing without a name is found by the heading above it', () => {
  const headings = [{ tag: 'h2', text: 'Billing', same: 1, any: 2 }];
  const found = candidatesOf(described({ tag: 'p', role: 'generic', name: '', text: 'None yet' }, { headings }));
  const first = found.find((one) => one.selector.includes('Billing'));
  assert.deepEqual(first, { kind: 'xpath', selector: '//h2[normalize-space()="Billing"]/following::p[normalize-space()="None yet"][1]', fragile: false });
  assert.ok(found.some((one) => one.fragile && one.selector === '//h2[normalize-space()="Billing"]/following::p[2]'));
});

test('the best is the first that finds nothing else; of every kind one is told', () => {
  const counts = { 'role=button[name="Save"]': 2, '[data-testid="save"]': 1, 'text="Save"': 2 };
  const found = choose(described({ attributes: { 'data-testid': 'save' } }), (selector) => counts[selector] ?? 0);
  assert.deepEqual(found.map(({ kind, count }) => [kind, count]), [['test', 1], ['role', 2], ['text', 2]]);
});

test('a selector that finds another element is not told', () => {
  assert.deepEqual(choose(described(), () => 0), []);
});

test('addresses with a session in them and scripts are not relied on', () => {
  for (const href of ['javascript:void(0)', '#', '/next?token=abc', 'data:text/html,x']) {
    assert.ok(!selectors({ tag: 'a', role: 'link', attributes: { href } }).some((selector) => selector.includes('href=')), href);
  }
  assert.ok(selectors({ tag: 'a', role: 'link', attributes: { href: '/cart' } }).includes('a[href="/cart"]'));
});

test('quotes and other signs are written so that they mean themselves', () => {
  assert.equal(quoted('say "hi" \\ now'), '"say \\"hi\\" \\\\ now"');
  assert.equal(escaped('1st:item'), '\\31 st\\:item');
  assert.equal(literal('say "hi"'), `'say "hi"'`);
  assert.equal(literal(`it's "so"`), `concat("it's ", '"', "so", '"', "")`);
});
