// Fields: which element takes a value, how, and what it contains.

import { forgetStyle, normalizeText, shadowRootOf, truncate } from '../dom.js';
import { roleOf, TOGGLE_ROLES } from '../snapshot/roles.js';
import { isSecret } from '../snapshot/secret_fields.js';
import { checkedState } from '../snapshot/states.js';

/** @typedef {'text' | 'rich' | 'set' | 'toggle' | 'select' | 'file'} FieldKind `set`: the value is set, not typed. */

/** Input types whose value is set, not typed. */
export const SET_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
const BUTTON_TYPES = new Set(['button', 'submit', 'reset', 'image', 'hidden']);
const FIELDS_INSIDE = 'input:not([type=hidden]), textarea, select, [contenteditable]:not([contenteditable=false])';
const MAX_SHOWN_LENGTH = 200;

/** @param {Element} element @returns {FieldKind | null} */
export function fieldKind(element) {
  if (element instanceof HTMLTextAreaElement) return 'text';
  if (element instanceof HTMLSelectElement) return 'select';
  if (element instanceof HTMLInputElement) {
    if (element.type === 'checkbox' || element.type === 'radio') return 'toggle';
    if (element.type === 'file') return 'file';
    if (BUTTON_TYPES.has(element.type)) return null;
    return SET_TYPES.has(element.type) ? 'set' : 'text';
  }
  if (element instanceof HTMLElement && element.isContentEditable) return 'rich';
  return TOGGLE_ROLES.has(roleOf(element)) ? 'toggle' : null;
}

/** The field that an element is, labels or wraps. @param {Element} element @returns {Element | null} */
export function fieldOf(element) {
  if (fieldKind(element) !== null) {
    if (!(element instanceof HTMLElement) || !element.isContentEditable) return element;
    let host = element;
    while (host.parentElement?.isContentEditable) host = host.parentElement;
    return host;
  }
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  const inside = [...element.querySelectorAll(FIELDS_INSIDE), ...(shadowRootOf(element)?.querySelectorAll(FIELDS_INSIDE) ?? [])];
  return inside.length === 1 ? inside[0] : null;
}

/** The content of a field as text. @param {Element} field */
export function fieldContent(field) {
  if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map((option) => normalizeText(option.label)).join('; ');
  if (fieldKind(field) === 'toggle') return checkedState(field);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field instanceof HTMLElement ? field.innerText.replace(/\u00a0/g, ' ').replace(/\n$/, '') : '';
}

/** The same as it may be shown: without secrets, and truncated. @param {Element} field */
export function shownContent(field) {
  forgetStyle(field); // it may have changed since the page was last read
  return isSecret(field) ? '(secret)' : truncate(fieldContent(field), MAX_SHOWN_LENGTH);
}
