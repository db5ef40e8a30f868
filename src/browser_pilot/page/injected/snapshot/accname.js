// Accessible names (accname 1.2), and the values of fields, which count in the names of what contains them.
//
// Compared with Chromium's own accessibility tree by tests/page/snapshot/test_accname.py.

import { childrenOf, generatedTexts, isRendered, NO_GENERATED_TEXT, normalizeText, referenced, SKIPPED_TAGS, styleOf, tagOf } from '../dom.js';
import { FIELD_ROLES, hasAuthorName, isEditable, NAME_FROM_CONTENT, roleOf, TOGGLE_ROLES } from './roles.js';
import { isSecret } from './secret_fields.js';

/** One computation: elements that were visited, and whether text counts that is visible but hidden from screen readers.
 * @typedef {{ visited: Set<Element>, includeAriaHidden: boolean }} Computation */

const LABELLABLE_TAGS = new Set(['INPUT', 'TEXTAREA', 'SELECT', 'METER', 'PROGRESS', 'OUTPUT', 'BUTTON']);
const NESTED_WIDGETS = new Set(['group', 'menu', 'tree', 'list', 'listbox']);
/** Elements that are named by a child of theirs. */
export const NAMING_CHILD = /** @type {Record<string, string>} */ ({ FIELDSET: 'LEGEND', TABLE: 'CAPTION', FIGURE: 'FIGCAPTION' });

/** The accessible name of an element. @param {Element} element @param {string} [role] @returns {string} */
export function accessibleName(element, role = roleOf(element)) {
  return normalizeText(computeName(element, role, newComputation()));
}

/**
 * The name that a row shows: the accessible name, and other text that can be seen on the element.
 * @param {Element} element @param {string} role @returns {string}
 */
export function visibleName(element, role) {
  const name = accessibleName(element, role);
  if (!element.firstChild || !NAME_FROM_CONTENT.has(role)) return name;
  const mayDiffer = hasAuthorName(element) || element.querySelector('[aria-hidden=true], [aria-label], [aria-labelledby]') !== null;
  if (!mayDiffer) return name;
  const text = normalizeText(contentText(element, newComputation(true), role));
  if (!/[\p{L}\p{N}]/u.test(text) || nameContains(name, text)) return name;
  return withoutSpaces(text).includes(withoutSpaces(name)) ? text : `${name} (${text})`;
}

/** The text inside an element as accname gathers it. @param {Element} element @param {Element} [excluded] */
export function accessibleText(element, excluded) {
  const computation = newComputation();
  if (excluded) computation.visited.add(excluded);
  return normalizeText(contentText(element, computation, 'generic'));
}

/**
 * The value of a field or gauge, or null when it has none to show.
 * @param {Element} element @param {string} role @param {boolean} [includeAriaHidden] @returns {string | null}
 */
export function fieldValue(element, role, includeAriaHidden = false) {
  if (element instanceof HTMLSelectElement) {
    return [...element.selectedOptions].map((option) => normalizeText(option.label)).join('; ') || null;
  }
  if (element instanceof HTMLInputElement) {
    if (isSecret(element) || TOGGLE_ROLES.has(role) || role === 'button') return null;
    if (element.type === 'file') return [...(element.files ?? [])].map((file) => file.name).join('; ') || null;
    return element.value || null;
  }
  if (isSecret(element)) return null;
  if (element instanceof HTMLTextAreaElement) return element.value || null;
  if (element instanceof HTMLProgressElement) return element.position < 0 ? null : `${Math.round(element.position * 100)}%`;
  if (element instanceof HTMLMeterElement) return String(element.value);
  if (role === 'textbox' || role === 'searchbox' || role === 'combobox') {
    const text = isEditable(element) || role !== 'combobox' ? element.textContent : comboboxText(element, includeAriaHidden);
    return normalizeText(text ?? '') || null;
  }
  const ariaValue = element.getAttribute('aria-valuetext') || element.getAttribute('aria-valuenow');
  return FIELD_ROLES.has(role) || role === 'progressbar' || role === 'meter' || role === 'scrollbar' ? ariaValue : null;
}

/** @param {Element} element @param {boolean} includeAriaHidden */
function comboboxText(element, includeAriaHidden) {
  return element.getAttribute('aria-valuetext') ?? contentText(element, newComputation(includeAriaHidden), 'generic');
}

/** @returns {Computation} */
function newComputation(includeAriaHidden = false) {
  return { visited: new Set(), includeAriaHidden };
}

/** Whether a name contains a text already; one or two letters only as a separate word. @param {string} name @param {string} text */
function nameContains(name, text) {
  if (text.length <= 2) return name.toLowerCase().split(/[^\p{L}\p{N}]+/u).includes(text.toLowerCase());
  return withoutSpaces(name).includes(withoutSpaces(text));
}

/** @param {string} text */
function withoutSpaces(text) {
  return text.replace(/\s+/g, '').toLowerCase();
}

/** @param {Element} element @param {string} role @param {Computation} computation @returns {string} */
function computeName(element, role, computation) {
  const labels = referenced(element, 'aria-labelledby');
  if (labels.length) {
    const name = normalizeText(labels.map((label) => labelText(label, computation)).join(' '));
    if (name) return name;
  }
  const ariaLabel = element.getAttribute('aria-label')?.trim();
  if (ariaLabel) return ariaLabel;
  const native = nativeName(element, computation);
  if (normalizeText(native)) return native;
  if (NAME_FROM_CONTENT.has(role)) {
    const content = contentText(element, computation, role);
    if (normalizeText(content)) return content;
  }
  return element.getAttribute('title')?.trim() || placeholderOf(element);
}

/** @param {Element} element */
function placeholderOf(element) {
  return element.getAttribute('placeholder')?.trim() || element.getAttribute('aria-placeholder')?.trim() || '';
}

/** The text of an element that labels another; hidden labels count. @param {Element} label @param {Computation} computation */
function labelText(label, computation) {
  const role = roleOf(label);
  const ariaLabel = label.getAttribute('aria-label')?.trim();
  if (ariaLabel) return ariaLabel;
  const native = nativeName(label, computation);
  if (normalizeText(native)) return native;
  return contentText(label, computation, role, !isRendered(label)) || label.getAttribute('title') || '';
}

/** The name that HTML gives an element. @param {Element} element @param {Computation} computation @returns {string} */
function nativeName(element, computation) {
  const tag = tagOf(element);
  if (LABELLABLE_TAGS.has(tag)) {
    const control = /** @type {HTMLInputElement} */ (element);
    const texts = [...(control.labels ?? [])].map((label) =>
      labelText(label, { ...computation, visited: new Set([...computation.visited, element]) }));
    const name = normalizeText(texts.join(' '));
    if (name) return name;
  }
  if (tag === 'INPUT') {
    const input = /** @type {HTMLInputElement} */ (element);
    if (input.type === 'submit') return input.value || (input.hasAttribute('value') ? '' : 'Submit');
    if (input.type === 'reset') return input.value || (input.hasAttribute('value') ? '' : 'Reset');
    if (input.type === 'button') return input.value;
    if (input.type === 'image') return input.alt || input.getAttribute('value') || input.title || 'Submit';
    return '';
  }
  if (tag === 'IMG' || tag === 'AREA') return element.getAttribute('alt') ?? '';
  if (tag === 'SVG') return element.querySelector(':scope > title')?.textContent ?? '';
  const namingTag = NAMING_CHILD[tag];
  if (namingTag) {
    const child = [...element.children].find((candidate) => candidate.tagName === namingTag);
    return child ? contentText(child, computation, 'generic') : '';
  }
  if (tag === 'OPTGROUP' || tag === 'OPTION') return element.getAttribute('label') ?? '';
  return '';
}

/**
 * @param {Element} element @param {Computation} computation @param {string} role @param {boolean} [includeHidden] @returns {string}
 */
function contentText(element, computation, role, includeHidden = false) {
  if (computation.visited.has(element)) return '';
  computation.visited.add(element);
  const [before, after] = includeHidden ? NO_GENERATED_TEXT : generatedTexts(element);
  let text = before;
  for (const child of childrenOf(element)) {
    if (child instanceof Text) text += child.data;
    else if (child instanceof Element) text += childText(child, computation, role, includeHidden);
  }
  if (element.hasAttribute('aria-owns')) {
    for (const owned of referenced(element, 'aria-owns')) text += ` ${childText(owned, computation, role, includeHidden)}`;
  }
  return text + after;
}

/** @param {Element} child @param {Computation} computation @param {string} role @param {boolean} includeHidden @returns {string} */
function childText(child, computation, role, includeHidden) {
  const tag = tagOf(child);
  if (tag === 'BR') return ' ';
  if (SKIPPED_TAGS.has(tag) || computation.visited.has(child)) return '';
  if (!includeHidden && ((!computation.includeAriaHidden && child.getAttribute('aria-hidden') === 'true') || !isRendered(child))) return '';
  const childRole = roleOf(child);
  if (role === 'treeitem' || role === 'menuitem') if (NESTED_WIDGETS.has(childRole)) return '';
  const block = !includeHidden && styleOf(child).display !== 'inline' ? ' ' : '';
  if (FIELD_ROLES.has(childRole) || childRole === 'listbox') return ` ${embeddedValue(child, childRole, computation)} `;
  const labels = referenced(child, 'aria-labelledby');
  if (labels.length) return ` ${labels.map((label) => labelText(label, computation)).join(' ')} `;
  const ariaLabel = child.getAttribute('aria-label')?.trim();
  if (ariaLabel) return `${block}${ariaLabel}${block}`;
  const native = nativeName(child, computation);
  // An image with its name beside it: once, not twice.
  if (tag === 'IMG' && normalizeText(native) && normalizeText(native) === normalizeText(child.parentElement?.textContent ?? '')) return '';
  if (normalizeText(native)) return `${block}${native}${block}`;
  const content = contentText(child, computation, role, includeHidden);
  return `${block}${normalizeText(content) ? content : content || child.getAttribute('title') || ''}${block}`;
}

/** A field inside a label stands for its value. @param {Element} field @param {string} role @param {Computation} computation */
function embeddedValue(field, role, computation) {
  return isSecret(field) ? '' : fieldValue(field, role, computation.includeAriaHidden) ?? '';
}
