// The states of an element as a snapshot shows them. Passwords never leave the page, not even their length.

import { isFocused, normalizeText } from '../dom.js';
import { FIELD_ROLES, TOGGLE_ROLES } from './roles.js';
import { isSecret } from './secret_fields.js';

const MAX_OPTIONS_LENGTH = 400;

/** @param {Element} element @param {string} role @param {boolean} [allOptions] @returns {string[]} */
export function statesOf(element, role, allOptions = false) {
  const states = [];
  if (isFocused(element)) states.push('focused');
  if (TOGGLE_ROLES.has(role)) states.push(checkedState(element));
  const pressed = element.getAttribute('aria-pressed');
  if (pressed === 'true') states.push('pressed');
  else if (pressed === 'mixed') states.push('mixed');
  if (element.matches(':disabled') || closestAttribute(element, 'aria-disabled') === 'true' || element.closest('[inert]')) states.push('disabled');
  const expanded = expandedState(element);
  if (expanded) states.push(expanded);
  if (element.getAttribute('aria-selected') === 'true' || (element instanceof HTMLOptionElement && element.selected)) states.push('selected');
  const current = element.getAttribute('aria-current');
  if (current && current !== 'false') states.push('current');
  if (/** @type {HTMLInputElement} */ (element).required === true || element.getAttribute('aria-required') === 'true') states.push('required');
  if (isInvalid(element)) states.push('invalid');
  if (isReadOnly(element, role)) states.push('readonly');
  const level = levelOf(element, role);
  if (level) states.push(`level ${level}`);
  if (isSecret(element) && (/** @type {HTMLInputElement} */ (element).value ?? element.textContent)) states.push('filled');
  if (element instanceof HTMLSelectElement) states.push(...optionStates(element, allOptions));
  return states;
}

/** @param {Element} element @param {string} attribute */
function closestAttribute(element, attribute) {
  return element.hasAttribute(attribute) ? element.getAttribute(attribute) : element.closest(`[${attribute}=true]`)?.getAttribute(attribute);
}

/** @param {Element} element */
export function checkedState(element) {
  if (element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio')) {
    if (element.indeterminate) return 'mixed';
    return element.checked ? 'checked' : 'unchecked';
  }
  const checked = element.getAttribute('aria-checked');
  return checked === 'true' ? 'checked' : checked === 'mixed' ? 'mixed' : 'unchecked';
}

/** @param {Element} element */
function expandedState(element) {
  const expanded = element.getAttribute('aria-expanded');
  if (expanded === 'true') return 'expanded';
  if (expanded === 'false') return 'collapsed';
  const details = element.tagName === 'SUMMARY' ? element.parentElement : null;
  if (!(details instanceof HTMLDetailsElement)) return '';
  return details.open ? 'expanded' : 'collapsed';
}

/** @param {Element} element */
function isInvalid(element) {
  const invalid = element.getAttribute('aria-invalid');
  if (invalid !== null) return invalid !== 'false' && invalid !== '';
  return element.matches(':user-invalid');
}

/** @param {Element} element @param {string} role */
export function isReadOnly(element, role) {
  if (element.getAttribute('aria-readonly') === 'true') return true;
  return (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) && element.readOnly && FIELD_ROLES.has(role);
}

/** @param {Element} element @param {string} role */
export function levelOf(element, role) {
  if (role !== 'heading' && role !== 'treeitem') return '';
  return element.getAttribute('aria-level') ?? (/^H[1-6]$/.test(element.tagName) ? element.tagName[1] : role === 'heading' ? '2' : '');
}

/** The options of a select element, all or up to a length. @param {HTMLSelectElement} select @param {boolean} all */
function optionStates(select, all) {
  const labels = [...select.options].map((option) => normalizeText(option.label)).filter(Boolean);
  let shown = 0;
  let length = 0;
  while (shown < labels.length && (all || length + labels[shown].length <= MAX_OPTIONS_LENGTH)) length += labels[shown++].length + 1;
  if (!labels.length) return [];
  const rest = labels.length - shown;
  return [`options ${labels.slice(0, shown).join('|')}${rest ? ` and ${rest} more` : ''}`];
}
