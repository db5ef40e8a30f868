// What a form would send, for the person who approves it.

import { normalizeText } from '../dom.js';
import { accessibleName } from '../snapshot/accname.js';
import { roleOf } from '../snapshot/roles.js';
import { isSecret } from '../snapshot/secret_fields.js';
import { isVisible } from './element_state.js';
import { formFields } from './forms.js';

/** `value` is null for a secret. @typedef {{ label: string, value: string | null, hidden: boolean, type: string, autocomplete: string, name: string }} PreviewedField */

const MAX_PREVIEWED_FIELDS = 300;
const BUTTONS = new Set(['submit', 'image', 'button', 'reset', 'fieldset', 'output']);
const MAX_LINES = 100;
const MAX_LINE_LENGTH = 200;
// A page's own state, such as a view state, may be long; people cannot read it.
const MAX_HIDDEN_LENGTH = 2_000;

/** The fields of a form that have a value, and how many more there are. @param {HTMLFormElement} form @param {Element | null} except a field that is filled next */
export function formPreview(form, except) {
  const fields = formFields(form).filter((field) => field !== except && !field.matches(':disabled')).map(previewOf).filter((field) => field !== null);
  return { fields: fields.slice(0, MAX_PREVIEWED_FIELDS), lines: linesWithNumbers(form), more: Math.max(0, fields.length - MAX_PREVIEWED_FIELDS) };
}

/** What the form shows next to its fields: "Total: 49.00 EUR". @param {HTMLFormElement} form */
function linesWithNumbers(form) {
  const lines = form.innerText.split('\n').map(normalizeText);
  return lines.filter((line) => /\d/.test(line) && line.length <= MAX_LINE_LENGTH).slice(0, MAX_LINES);
}

/** @param {Element} element @returns {PreviewedField | null} */
function previewOf(element) {
  const field = /** @type {HTMLInputElement} */ (element);
  if (BUTTONS.has(field.type)) return null;
  const value = shownValue(element);
  if (!value) return null;
  const hidden = field.type === 'hidden' || !isVisible(element);
  const tooLong = hidden && value.length > MAX_HIDDEN_LENGTH;
  return {
    label: accessibleName(element, roleOf(element)) || field.name || field.id,
    value: isSecret(element) ? null : tooLong ? `(${value.length} characters that the page set)` : value,
    hidden,
    type: String(field.type ?? ''),
    autocomplete: String(element.getAttribute('autocomplete') ?? ''),
    name: [element.getAttribute('name'), element.id].filter(Boolean).join(' '),
  };
}

/** @param {Element} element */
function shownValue(element) {
  const field = /** @type {HTMLInputElement} */ (element);
  if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map((option) => normalizeText(option.label) || option.value).join(', ');
  if (field.type === 'file') return [...(field.files ?? [])].map((file) => file.name).join(', ');
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked ? field.value : '';
  return String(field.value ?? '');
}
