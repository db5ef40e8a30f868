// Extracts parts of the document by CSS selectors, in the shape of the request. See page/snapshot/selection.py.

import { normalizeText } from '../dom.js';

/** `css`, `css@attribute` or `@attribute`; a list has the rule of its items second. `any` is a rule again.
 * @typedef {string | [string, any?] | { [name: string]: any }} Rule */

const MAX_SELECTED = 10_000;
const MAX_SELECTED_CHARACTERS = 8_000_000;
const URL_ATTRIBUTES = new Set(['href', 'src', 'action', 'poster']);

/** JSON with `data`, or with `error` and the selector that is not valid. @param {Rule} rule */
export function extractParts(rule) {
  const budget = readingBudget();
  try {
    return JSON.stringify({ data: applyRule(rule, document, budget), isCut: budget.isCut });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'SyntaxError') return JSON.stringify({ error: error.message });
    throw error;
  }
}

/** @typedef {{ matches: number, characters: number, isCut: boolean }} Budget */

/** @returns {Budget} */
export function readingBudget() {
  return { matches: MAX_SELECTED, characters: MAX_SELECTED_CHARACTERS, isCut: false };
}

/** @param {Rule} rule @param {ParentNode} scope @param {Budget} budget @returns {unknown} */
export function applyRule(rule, scope, budget) {
  if (typeof rule === 'string') return selectedValue(rule, scope, budget);
  if (Array.isArray(rule)) return selectedList(/** @type {[string, any?]} */ (rule), scope, budget);
  return Object.fromEntries(Object.entries(rule).map(([name, inner]) => [name, applyRule(inner, scope, budget)]));
}

/** @param {[string, any?]} rule @param {ParentNode} scope @param {Budget} budget */
function selectedList([selector, inner], scope, budget) {
  const { css, attribute } = selectorParts(selector);
  const found = [];
  for (const element of css ? scope.querySelectorAll(css) : [scope]) {
    if (budget.matches-- <= 0) {
      budget.isCut = true;
      break;
    }
    found.push(inner === undefined ? readPart(element, attribute, budget) : applyRule(inner, element, budget));
  }
  return found;
}

/** @param {string} selector @param {ParentNode} scope @param {Budget} budget */
function selectedValue(selector, scope, budget) {
  const { css, attribute } = selectorParts(selector);
  const element = css ? scope.querySelector(css) : scope;
  return element && readPart(element, attribute, budget);
}

/** The attribute follows the last `@`; in `a[title="@home"]` there is none. @param {string} selector */
function selectorParts(selector) {
  const match = /^([^]*?)@([\w:-]+)$/.exec(selector.trim());
  return match ? { css: match[1].trim(), attribute: match[2] } : { css: selector.trim(), attribute: '' };
}

/** @param {ParentNode} node @param {string} attribute @param {Budget} budget */
function readPart(node, attribute, budget) {
  const element = node instanceof Document ? node.documentElement : /** @type {Element} */ (node);
  const text = attribute ? selectedAttribute(element, attribute) : normalizeText(element.textContent ?? '');
  if (text === null) return null;
  if (text.length > budget.characters) budget.isCut = true;
  const kept = text.slice(0, budget.characters);
  budget.characters -= kept.length;
  return kept;
}

/** URLs are absolute. @param {Element} element @param {string} name */
function selectedAttribute(element, name) {
  const value = element.getAttribute(name);
  if (value === null || !URL_ATTRIBUTES.has(name)) return value;
  return URL.canParse(value, document.baseURI) ? new URL(value, document.baseURI).href : value;
}
