// The facts about a target that its authorization depends on, and a fingerprint of them.

import { frameNumberOf } from '../cdp_facts.js';
import { focusedElement, normalizeText, truncate } from '../dom.js';
import { documentToken, elementOf, lastRef, refOf } from '../refs.js';
import { accessibleName } from '../snapshot/accname.js';
import { roleOf } from '../snapshot/roles.js';
import { INTERACTIVE } from './element_state.js';
import { goneFailure } from './failures.js';
import { fieldOf } from './field_kinds.js';
import { defaultButton, formFields, formOf, formValues, isSubmitButton, submission } from './forms.js';

/** @typedef {{ ref: string, fingerprint: string, values: boolean }} AuthorizedTarget An element with its fingerprint at the time of the authorization. */
/** @typedef {string | AuthorizedTarget} Target A ref, perhaps with a fingerprint. */

const ROW = 'tr, li, [role=row], [role=listitem]';
const MAX_FIELDS = 200;
const MAX_ROW_LENGTH = 1_000;

/** @param {Target} target */
export function refIn(target) {
  return typeof target === 'string' ? target : target.ref;
}

/** The element that a click on another one activates, such as the button around a text. @param {Element} element @returns {Element} */
function actedOn(element) {
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  return fieldOf(element) ?? element.closest(INTERACTIVE) ?? element;
}

/** @param {Element} element @param {string} role */
function displayName(element, role) {
  return accessibleName(element, role) || element.getAttribute('title') || truncate(normalizeText(element.textContent ?? ''), 200);
}

/** @param {Element} field */
function fieldFacts(field) {
  const input = /** @type {HTMLInputElement} */ (field);
  return {
    type: String(input.type ?? ''),
    autocomplete: String(input.getAttribute('autocomplete') ?? ''),
    name: [input.getAttribute('name'), input.id].filter(Boolean).join(' '),
  };
}

/** Everything that the authorization of an action depends on, as one text. @param {Element} resolved @param {boolean} values whether the form's values count */
function fingerprintOf(resolved, values) {
  const element = actedOn(resolved);
  const role = roleOf(element);
  const form = formOf(element);
  const button = isSubmitButton(element) ? element : form ? defaultButton(form) : undefined;
  return JSON.stringify([
    documentToken,
    location.href,
    element.localName,
    role,
    displayName(element, role),
    displayName(resolved, roleOf(resolved)),
    fieldFacts(element),
    /** @type {HTMLAnchorElement} */ (element).href ?? '',
    element.getAttribute('target') ?? '',
    form && submission(form, button),
    button ? displayName(button, 'button') : '',
    truncate(normalizeText(element.closest(ROW)?.textContent ?? ''), MAX_ROW_LENGTH),
    form && values ? formValues(form) : null,
  ]);
}

/** Whether an element is no longer what was authorized. @param {Target} target @param {Element} resolved */
export function hasChanged(target, resolved) {
  return typeof target !== 'string' && fingerprintOf(resolved, target.values) !== target.fingerprint;
}

/**
 * The facts about an element as a target; without a ref, about the focused element, whose ref is part of the result.
 * @param {string | null} ref @param {{ submits: boolean, values: boolean }} options
 */
export function targetFacts(ref, options) {
  const resolved = ref === null ? focusedElement() : elementOf(ref);
  if (resolved === null) return ref === null ? { frame: null } : goneFailure(ref);
  const frame = frameNumberOf(resolved);
  if (ref === null && frame !== undefined) return { frame };
  const element = actedOn(resolved);
  const role = roleOf(element);
  const form = formOf(element);
  const submits = form !== null && (options.submits || isSubmitButton(element));
  const button = isSubmitButton(element) ? element : form ? defaultButton(form) : undefined;
  const to = form && submits ? submission(form, button) : null;
  return {
    ref: ref ?? refOf(resolved, roleOf(resolved), displayName(resolved, roleOf(resolved))),
    lastRef: lastRef(),
    origin: location.origin,
    role: role === 'generic' ? '' : role,
    name: displayName(element, role),
    field: fieldFacts(element),
    href: String(/** @type {HTMLAnchorElement} */ (element).href ?? ''),
    submits,
    submitName: submits && button && button !== element ? displayName(button, 'button') : '',
    formAction: to?.action ?? '',
    formMethod: to?.method ?? '',
    formFields: submits ? formFields(form).slice(0, MAX_FIELDS).map(fieldFacts) : [],
    fingerprint: fingerprintOf(resolved, options.values),
  };
}
