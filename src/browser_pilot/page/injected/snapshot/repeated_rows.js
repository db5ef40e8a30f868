// Lists and cards: children of one element that are alike, and the fields that they have. See extraction.js.

import { isRendered, normalizeText, ownText } from '../dom.js';
import { uniqueNames } from './table_rows.js';

const MIN_ROWS = 3;
const MAX_ELEMENTS = 50_000;
const MAX_TEXT = 2_000;
// Fields are those that a fifth of the first rows have.
const SAMPLE_ROWS = 30;
const MIN_SHARE = 0.2;
const NAMES = /** @type {Record<string, string>} */ ({ h1: 'title', h2: 'title', h3: 'title', h4: 'title', h5: 'title', h6: 'title', a: 'link', img: 'image', time: 'time', p: 'text' });

/** @typedef {{ parent: Element, rows: Element[], score: number }} Group */

/** The groups of similar children. More rows count as much as more text. @param {Element} root @returns {Group[]} */
export function repeatedGroups(root) {
  /** @type {Group[]} */
  const groups = [];
  let left = MAX_ELEMENTS;
  for (const parent of [root, ...root.querySelectorAll('*')]) {
    if (left-- <= 0) break;
    if (parent.children.length < MIN_ROWS || parent.closest('nav, header, footer, script, style, select')) continue;
    /** @type {Map<string, Element[]>} */
    const alike = new Map();
    for (const child of parent.children) {
      const kind = `${child.tagName} ${child.classList[0] ?? ''}`;
      alike.set(kind, [...(alike.get(kind) ?? []), child]);
    }
    for (const rows of alike.values()) {
      if (rows.length < MIN_ROWS) continue;
      const shown = rows.filter((row) => isRendered(row) && normalizeText(row.textContent ?? '') !== '');
      const text = shown.reduce((sum, row) => sum + Math.min((row.textContent ?? '').length, MAX_TEXT), 0);
      if (shown.length >= MIN_ROWS) groups.push({ parent, rows: shown, score: text * shown.length });
    }
  }
  return groups;
}

/** Selectors of the fields of rows, by name. @param {Element[]} rows @returns {Record<string, string>} */
export function rowFields(rows) {
  const sample = rows.slice(0, SAMPLE_ROWS);
  /** @type {Map<string, { name: string, count: number }>} */
  const found = new Map();
  for (const row of sample) {
    for (const [rule, name] of new Map(leavesOf(row, row, ''))) {
      const field = found.get(rule) ?? { name, count: 0 };
      field.count += 1;
      found.set(rule, field);
    }
  }
  const kept = [...found].filter(([, field]) => field.count >= sample.length * MIN_SHARE);
  const names = uniqueNames(kept.map(([, field]) => field.name));
  return Object.fromEntries(kept.map(([rule], index) => [names[index], rule]));
}

/** The rules and names of what an element shows: texts, links and images. @param {Element} element @param {Element} row @param {string} path @returns {[string, string][]} */
function leavesOf(element, row, path) {
  const tag = element.localName;
  if (['script', 'style', 'template', 'svg'].includes(tag)) return [];
  const selector = element === row ? '' : `:scope ${path}`;
  /** @type {[string, string][]} */
  const leaves = [];
  const name = nameOf(element, tag);
  const isText = ownText(element) !== '';
  if (isText) leaves.push([selector, name]);
  if (tag === 'a' && element.hasAttribute('href')) leaves.push([`${selector}@href`, 'url']);
  if (tag === 'img' && element.hasAttribute('src')) leaves.push([`${selector}@src`, name]);
  for (const child of element.children) {
    const [kind] = child.classList;
    const inner = leavesOf(child, row, `${path} > ${child.localName}${kind === undefined ? '' : `.${CSS.escape(kind)}`}`.trim());
    // The text of an element includes the texts in it.
    leaves.push(...(isText ? inner.filter(([rule]) => rule.includes('@')) : inner));
  }
  return leaves;
}

/** @param {Element} element @param {string} tag */
function nameOf(element, tag) {
  const [kind] = element.classList;
  return kind === undefined ? (NAMES[tag] ?? 'text') : kind.replaceAll('-', '_');
}
