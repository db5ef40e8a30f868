// Resolves selectors to elements: a ref, a CSS selector, a text, a role and name, or an XPath.

import { comparableText, everyElement, isRendered, normalizeText, shadowRootOf, startReading, truncate } from '../dom.js';
import { hidesValues, withoutSecrets } from '../filled_secrets.js';
import { elementOf, lastRef, refEntry, refOf } from '../refs.js';
import { accessibleName, visibleName } from '../snapshot/accname.js';
import { isClickable } from '../snapshot/clickable.js';
import { fallbackName } from '../snapshot/fallback_name.js';
import { FIELD_ROLES, roleOf, WIDGET_ROLES } from '../snapshot/roles.js';
import { levelOf, statesOf } from '../snapshot/states.js';

/** @import { RefEntry } from '../refs.js' */

/** @typedef {{ ref?: string, css?: string, text?: string, role?: string, name?: string, exact?: boolean, regex?: boolean,
 *   xpath?: string, index?: number }} Selector */

const MAX_CANDIDATES = 8;
// They could find out a hidden value letter by letter.
const READS_VALUES = { css: /\[\s*value/i, xpath: /@\s*value|@\s*\*|attribute\s*::|contains|starts-with|substring|translate|string-length/i };
const SKIPPED_FOR_TEXT = 'script, style, noscript, template, head, title';

/** @param {string} selector @returns {Element[]} */
function byCss(selector) {
  const found = [...document.querySelectorAll(selector)];
  for (const element of everyElement(document)) {
    const shadow = shadowRootOf(element);
    if (shadow) found.push(...shadow.querySelectorAll(selector));
  }
  return found;
}

/** How a name or text is compared. @param {string} wanted @param {boolean} exact @param {boolean} regex @returns {(text: string) => boolean} */
function matcher(wanted, exact, regex) {
  const matches = plainMatcher(wanted, exact, regex);
  return hidesValues() ? (text) => matches(withoutSecrets(text)) : matches;
}

/** @param {string} wanted @param {boolean} exact @param {boolean} regex @returns {(text: string) => boolean} */
function plainMatcher(wanted, exact, regex) {
  if (regex) {
    const pattern = new RegExp(wanted, 'iu');
    return (text) => pattern.test(text) || pattern.test(comparableText(text));
  }
  const sought = comparableText(normalizeText(wanted));
  if (exact) return (text) => comparableText(text) === sought;
  return (text) => comparableText(text).includes(sought);
}

/** The innermost elements with a text. @param {Selector} selector @returns {Element[]} */
export function byText(selector) {
  const matches = matcher(selector.text ?? '', selector.exact === true, selector.regex === true);
  const found = [];
  for (const element of everyElement(document.body ?? document)) {
    if (element.matches(SKIPPED_FOR_TEXT)) continue;
    const isButton = element instanceof HTMLInputElement && ['button', 'submit', 'reset'].includes(element.type);
    if (!matches(normalizeText(isButton ? element.value : element.textContent ?? '')) || !isRendered(element)) continue;
    if ([...element.children].some((child) => matches(normalizeText(child.textContent ?? '')) && isRendered(child))) continue;
    found.push(element);
  }
  return found;
}

/** @param {Selector} selector @returns {Element[]} */
function byRole(selector) {
  const role = (selector.role ?? '').toLowerCase();
  const found = [];
  for (const element of everyElement(document)) {
    if (!hasRole(element, role) || !isRendered(element)) continue;
    if (selector.name === undefined || namedAs(element, selector)) found.push(element);
  }
  return found;
}

// Roles that a snapshot replaces by `click` when the element can be clicked.
const SHOWN_AS_CLICK = new Set(['generic', 'paragraph', 'listitem', 'cell', 'gridcell', 'term', 'definition']);

/** @param {Element} element @param {string} role */
function hasRole(element, role) {
  const own = roleOf(element);
  if (own === role) return true;
  if (role === 'textbox') return FIELD_ROLES.has(own) && !['combobox', 'slider', 'file', 'color'].includes(own);
  if (/^h[1-6]$/.test(role)) return own === 'heading' && levelOf(element, own) === role[1];
  if (role === 'click') return SHOWN_AS_CLICK.has(own) && isClickable(element);
  return (role === 'image' && own === 'img') || (role === 'item' && own === 'listitem') || (role === 'combobox' && own === 'listbox');
}

/** @param {Element} element @param {Selector} selector */
function namedAs(element, selector) {
  const matches = matcher(selector.name ?? '', selector.exact === true, selector.regex === true);
  const role = roleOf(element);
  if (matches(accessibleName(element, role))) return true;
  const shown = SHOWN_AS_CLICK.has(role) ? normalizeText(element.textContent ?? '') : visibleName(element, role);
  if (!shown) return matches(fallbackName(element));
  return matches(shown);
}

/** @param {string} expression @returns {Element[]} */
function byXpath(expression) {
  const result = document.evaluate(expression, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  const found = [];
  for (let index = 0; index < result.snapshotLength; index++) {
    const node = result.snapshotItem(index);
    if (node instanceof Element) found.push(node);
  }
  return found;
}

/** @param {Selector} selector @returns {Element[]} */
export function matchAll(selector) {
  startReading();
  if (hidesValues() && (READS_VALUES.css.test(selector.css ?? '') || READS_VALUES.xpath.test(selector.xpath ?? ''))) {
    throw new Error('a secret is filled in this page, so selectors cannot compare parts of values and texts there');
  }
  if (selector.css !== undefined) return preferRendered(byCss(selector.css));
  if (selector.xpath !== undefined) return preferRendered(byXpath(selector.xpath));
  if (selector.text !== undefined) return preferExact(byText(selector), selector, (element) => normalizeText(element.textContent ?? ''));
  return preferExact(byRole(selector), selector, (element) => accessibleName(element, roleOf(element)));
}

/** Unrendered elements count only when nothing else matches. @param {Element[]} found */
function preferRendered(found) {
  const rendered = found.filter((element) => isRendered(element));
  return rendered.length ? rendered : found;
}

/**
 * One whole match beats many partial ones.
 * @param {Element[]} found @param {Selector} selector @param {(element: Element) => string} textOf
 */
function preferExact(found, selector, textOf) {
  const sought = selector.text ?? selector.name;
  if (found.length < 2 || selector.regex || sought === undefined) return found;
  const whole = found.filter((element) => comparableText(textOf(element)) === comparableText(normalizeText(sought)));
  return whole.length ? whole : found;
}

/** Ref, role, name and states of a candidate. @param {Element} element */
function describeCandidate(element) {
  const role = roleOf(element);
  const shown = role === 'generic' && isClickable(element) ? 'click' : role;
  const text = normalizeText(element.textContent ?? '');
  const name = visibleName(element, role) || (WIDGET_ROLES.has(role) || shown === 'click' ? text || fallbackName(element) : text);
  return [refOf(element, shown, truncate(name, 80)), shown, truncate(name, 80), statesOf(element, role)];
}

/** How many elements match, and the first of them with their refs. @param {Selector} selector */
export function resolveSelector(selector) {
  if (selector.ref !== undefined) return resolveRef(selector.ref);
  try {
    const found = matchAll(selector);
    return { count: found.length, candidates: found.slice(0, MAX_CANDIDATES).map(describeCandidate), lastRef: lastRef() };
  } catch (error) {
    return { invalid: error instanceof Error ? error.message : String(error), count: 0, candidates: [], lastRef: lastRef() };
  }
}

/** @param {string} ref */
function resolveRef(ref) {
  startReading();
  const entry = refEntry(ref);
  const element = elementOf(ref);
  if (element && entry) {
    return { count: 1, candidates: [[ref, entry.role, entry.name, []]], lastRef: lastRef() };
  }
  const was = entry ? [entry.role, entry.name] : null;
  const similar = entry ? [...everyElement(document.body ?? document)].filter((other) => isSimilar(other, entry)) : [];
  return { count: 0, was, candidates: similar.slice(0, MAX_CANDIDATES).map(describeCandidate), lastRef: lastRef() };
}

/** @param {Element} element @param {RefEntry} entry */
function isSimilar(element, entry) {
  const role = roleOf(element);
  if (entry.role === 'click' || entry.role === 'text' || entry.role === 'item') {
    return normalizeText(element.textContent ?? '') === entry.name && ![...element.children].some((child) => normalizeText(child.textContent ?? '') === entry.name);
  }
  return role === entry.role && visibleName(element, role) === entry.name && isRendered(element);
}

/** The widgets on the page, as suggestions when a selector matches nothing. @param {number} limit */
export function actionableElements(limit) {
  startReading();
  const found = [];
  for (const element of everyElement(document.body ?? document)) {
    if (found.length >= limit) break;
    if (WIDGET_ROLES.has(roleOf(element)) && isRendered(element)) found.push(element);
  }
  return { rows: found.map(describeCandidate), lastRef: lastRef() };
}
