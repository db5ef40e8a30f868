/** Generated selectors: what they consist of, in which order, and what is never used. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../../../src/browser_pilot/extension/content/selector_generator.js';

const { cssIdentifier, cssString, generateCandidates, isGenerated, rankSelectors, xpathLiteral } = globalThis.browserPilotSelectorGenerator;

const facts = (more = {}) => ({ tag: 'button', role: 'button', name: 'Save', text: 'Save', id: '', classes: [], attributes: {}, position: 0, ...more });
const described = (target = {}, more = {}) => ({ target: facts(target), ancestors: [], containers: [], labels: [], headings: [], ...more });
const selectors = (...given) => generateCandidates(described(...given)).map((one) => one.selector);

test('role and name come first, then a test id, then identifying attributes', () => {
  const found = selectors({ attributes: { 'data-testid': 'save', 'aria-label': 'Save' }, id: 'save' });
  assert.deepEqual(found.slice(0, 4), ['role=button[name="Save"]', '[data-testid="save"]', '#save', 'button[aria-label="Save"]']);
});

test('positions come last and are marked as fragile', () => {
  const found = generateCandidates(described({ position: 3, classes: ['primary'] }));
  const fragile = found.map((one) => one.fragile);
  assert.equal(fragile.indexOf(true), found.length - 2);
  assert.equal(found.at(-2).selector, 'button:nth-of-type(3)');
});

for (const name of ['css-1x2y3z', 'sc-bdVaJa1', 'header_x7Kq2', 'Button-module__3aZ9k', ':r1:', 'ember1234', 'jss42', 'a1b2c3d4e5', 'radix-7', 'svelte-1tky8bj', 'item-20391']) {
  test(`${name} is a generated name`, () => assert.equal(isGenerated(name), true));
}
for (const name of ['primary', 'btn-primary', 'main-nav', 'col-md-6', 'user_name', 'h1', 'step-2', 'navbarDropdown', 'header__title', 'searchInput', 'emailAddress']) {
  test(`${name} is a name that a person wrote`, () => assert.equal(isGenerated(name), false));
}

test('generated ids and classes are never used', () => {
  const found = selectors({ id: 'ember1234', classes: ['css-1x2y3z', 'primary'] }, { ancestors: [facts({ tag: 'div', id: ':r1:', classes: ['sc-bdVaJa1'] })] });
  assert.ok(found.includes('button.primary'));
  assert.ok(!found.some((selector) => /ember|css-|:r1:|sc-/.test(selector)), found.join('\n'));
});

test('an element among similar ones is found by the text of its row', () => {
  const containers = [{ tag: 'li', depth: 1, texts: ['Cake', 'Remove'] }];
  const found = selectors({ name: 'Remove', text: 'Remove' }, { containers });
  assert.ok(found.includes('//li[.//text()[normalize-space()="Cake"]]//button[normalize-space()="Remove"]'));
});

test('an element without a name is found by the heading above it', () => {
  const headings = [{ tag: 'h2', text: 'Billing', sameText: 1, sameTag: 2 }];
  const found = generateCandidates(described({ tag: 'p', role: 'generic', name: '', text: 'None yet' }, { headings }));
  const first = found.find((one) => one.selector.includes('Billing'));
  assert.deepEqual(first, { kind: 'xpath', selector: '//h2[normalize-space()="Billing"]/following::p[normalize-space()="None yet"][1]', fragile: false });
  assert.ok(found.some((one) => one.fragile && one.selector === '//h2[normalize-space()="Billing"]/following::p[2]'));
});

test('the best selector is the first unique one; of every other kind one follows', () => {
  const counts = { 'role=button[name="Save"]': 2, '[data-testid="save"]': 1, 'text="Save"': 2 };
  const found = rankSelectors(described({ attributes: { 'data-testid': 'save' } }), (selector) => counts[selector] ?? 0);
  assert.deepEqual(found.map(({ kind, count }) => [kind, count]), [['test', 1], ['role', 2], ['text', 2]]);
});

test('a selector that does not match the element is left out', () => {
  assert.deepEqual(rankSelectors(described(), () => 0), []);
});

test('URLs with a session token and script URLs are not used', () => {
  for (const href of ['javascript:void(0)', '#', '/next?token=abc', 'data:text/html,x']) {
    assert.ok(!selectors({ tag: 'a', role: 'link', attributes: { href } }).some((selector) => selector.includes('href=')), href);
  }
  assert.ok(selectors({ tag: 'a', role: 'link', attributes: { href: '/cart' } }).includes('a[href="/cart"]'));
});

test('quotes and special characters are escaped', () => {
  assert.equal(cssString('say "hi" \\ now'), '"say \\"hi\\" \\\\ now"');
  assert.equal(cssIdentifier('1st:item'), '\\31 st\\:item');
  assert.equal(xpathLiteral('say "hi"'), `'say "hi"'`);
  assert.equal(xpathLiteral(`it's "so"`), `concat("it's ", '"', "so", '"', "")`);
});
