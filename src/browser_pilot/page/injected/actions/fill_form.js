// Fills forms field by field, whatever kind the fields are, and submits them.

import { comparableText, normalizeText } from '../dom.js';
import { markFilled } from '../filled_secrets.js';
import { report, startWatch, waitQuietOrUntouched } from '../mutation_watch.js';
import { elementOf } from '../refs.js';
import { nextFrame, nextTask } from '../scheduling.js';
import { accessibleName } from '../snapshot/accname.js';
import { roleOf } from '../snapshot/roles.js';
import { checkedState } from '../snapshot/states.js';
import { cancellation } from './cancellation.js';
import { goneFailure } from './failures.js';
import { fieldContent, fieldKind, fieldOf, shownContent } from './field_kinds.js';
import { focusField, matchesText, setValue, typeByScript, waitForField } from './fields.js';
import { defaultButton, formFields, formOf, formProperty } from './forms.js';
import { isCustomList } from './listbox.js';
import { OPTIONS_TIMEOUT_MS, selectedLabels, selectNow } from './select_options.js';
import { guardSubmission } from './submission_guard.js';
import { hasChanged, refIn } from './target_facts.js';

/** @import { Failure } from './failures.js' */
/** @import { FieldKind } from './field_kinds.js' */
/** @import { Target } from './target_facts.js' */

/** @typedef {string | boolean | string[]} FieldValue */
/** The content of a field after it was filled, and whether it is the wanted one. `customList`: nothing was done, the caller chooses in it.
 * @typedef {{ holds: string, matches: boolean, customList?: boolean }} Filled */

const YES = new Set(['true', 'on', 'yes', '1', 'checked']);
const NO = new Set(['false', 'off', 'no', '0', 'unchecked', '']);

/**
 * Fills fields one after the other. Returns for each its content afterwards, or why it could not be filled.
 * @param {{ target: Target, value: FieldValue, secrets: string[] }[]} fields @param {number} timeoutMs
 */
export async function fillFields(fields, timeoutMs) {
  const watch = startWatch();
  const deadline = performance.now() + timeoutMs;
  const isCancelled = cancellation();
  const refusals = fields.map(({ target, value }) => refusal(target, value));
  if (refusals.some((failure) => failure !== null)) {
    return { ...report(watch, true), fields: refusals.map((failure) => failure ?? { error: 'not filled' }) };
  }
  /** Read the fields once the page is quiet. @type {(() => Failure | Filled)[]} */
  const checks = [];
  for (const { target, value, secrets } of fields) {
    if (isCancelled()) break;
    const resolved = elementOf(refIn(target));
    if (resolved && typeof value !== 'boolean' && isCustomList(resolved)) {
      checks.push(() => ({ holds: '', matches: true, customList: true }));
      continue;
    }
    const failure = await fillField(target, value, secrets, Math.max(0, deadline - performance.now()), checks);
    if (failure !== null) checks.push(() => failure);
    await nextTask();
  }
  const quiet = await waitQuietOrUntouched(watch);
  const results = checks.map((check) => check());
  return { ...report(watch, quiet), fields: results };
}

/** Why a field can never take a value. @param {Target} target @param {FieldValue} value @returns {Failure | null} */
function refusal(target, value) {
  const resolved = elementOf(refIn(target));
  if (resolved === null) return goneFailure(refIn(target));
  if (hasChanged(target, resolved)) return { error: 'changed' };
  if (typeof value !== 'boolean' && isCustomList(resolved)) return null;
  const field = fieldOf(resolved);
  if (field === null) return typeof value === 'string' && findRadio(resolved, value) ? null : { error: 'no field' };
  return fieldKind(field) === 'file' ? { error: 'file' } : null;
}

/**
 * @param {Target} target @param {FieldValue} value @param {string[]} secrets @param {number} timeoutMs @param {(() => Failure | Filled)[]} checks
 * @returns {Promise<Failure | null>}
 */
async function fillField(target, value, secrets, timeoutMs, checks) {
  const resolved = elementOf(refIn(target));
  if (resolved && hasChanged(target, resolved)) return { error: 'changed' };
  const radio = resolved && fieldOf(resolved) === null && typeof value === 'string' ? findRadio(resolved, value) : null;
  const found = radio ? { field: radio, kind: /** @type {FieldKind} */ ('toggle') } : await waitForField(target, timeoutMs);
  if ('error' in found) return found;
  const { kind } = found;
  if (kind === 'file') return { error: 'file' };
  if (kind === 'toggle') {
    const wanted = radio ? true : /** @type {string | boolean} */ (value);
    const failure = setToggle(found.field, wanted);
    const state = YES.has(String(wanted).trim().toLowerCase()) ? 'checked' : 'unchecked';
    if (failure === null) checks.push(() => ({ holds: checkedState(found.field), matches: checkedState(found.field) === state }));
    return failure;
  }
  if (kind === 'select') {
    const select = /** @type {HTMLSelectElement} */ (found.field);
    const wanted = Array.isArray(value) ? value : [String(value)];
    const failure = await fillSelect(select, wanted, timeoutMs);
    if (failure === null) checks.push(() => checkContent(select, selectedLabels(select, wanted)));
    return failure;
  }
  const field = focusField(found.field);
  if (secrets.length) markFilled(field, secrets);
  const text = String(value);
  if (kind === 'set') {
    const failure = setValue(/** @type {HTMLInputElement} */ (field), text);
    if (failure !== null) return failure;
  } else {
    typeByScript(field, text, true);
  }
  checks.push(() => checkContent(field, text));
  return null;
}

/** Sets a checkbox, radio button or switch. @param {Element} field @param {string | boolean} value @returns {Failure | null} */
function setToggle(field, value) {
  const wanted = String(value).trim().toLowerCase();
  if (!YES.has(wanted) && !NO.has(wanted)) return { error: 'format', by: 'true or false' };
  const state = YES.has(wanted) ? 'checked' : 'unchecked';
  if (checkedState(field) === state) return null;
  if (state === 'unchecked' && roleOf(field) === 'radio') return { error: 'radio' };
  /** @type {HTMLElement} */ (field).focus({ preventScroll: true });
  /** @type {HTMLElement} */ (field).click();
  return null;
}

/** The radio button of a group that has a name or value. @param {Element} group @param {string} wanted */
function findRadio(group, wanted) {
  const radios = [...group.querySelectorAll('input[type=radio], [role=radio]')];
  const sought = comparableText(normalizeText(wanted));
  return radios.find((radio) => comparableText(accessibleName(radio, 'radio')) === sought)
    ?? radios.find((radio) => radio.getAttribute('value') === wanted) ?? null;
}

/** @param {HTMLSelectElement} select @param {string[]} wanted @param {number} timeoutMs */
async function fillSelect(select, wanted, timeoutMs) {
  const deadline = performance.now() + Math.min(timeoutMs, OPTIONS_TIMEOUT_MS);
  for (;;) {
    const failure = selectNow(select, wanted);
    if (failure?.error !== 'no option' || performance.now() >= deadline) return failure;
    await nextFrame();
  }
}

/** @param {Element} field @param {string} expected */
function checkContent(field, expected) {
  if (!field.isConnected) return { error: 'gone', by: 'the field was replaced by the page while the form was filled' };
  return { holds: shownContent(field), matches: matchesText(fieldContent(field), expected, field) };
}

/**
 * Submits the form of a field, through its submit button where it has one.
 * @param {Target} target @param {boolean} strict whether the page must not change the form meanwhile
 */
export function submitForm(target, strict) {
  const resolved = elementOf(refIn(target));
  const watch = startWatch();
  if (resolved === null || hasChanged(target, resolved)) return { sent: false, changed: true, invalid: '' };
  const form = formOf(fieldOf(resolved) ?? resolved);
  if (!form) return { sent: false, changed: false, invalid: '' };
  const fields = formProperty(form, 'noValidate') ? [] : /** @type {HTMLInputElement[]} */ (formFields(form));
  const invalid = fields.filter((field) => field.willValidate && field.matches(':invalid'));
  // Not within this call: the page may navigate, or open a dialog.
  setTimeout(() => {
    watch.stopped = hasChanged(target, resolved);
    if (!watch.stopped && strict) guardSubmission(fieldOf(resolved) ?? resolved, true, watch, () => (watch.stopped = true));
    if (!watch.stopped) HTMLFormElement.prototype.requestSubmit.call(form, defaultButton(form));
  });
  return {
    sent: true,
    changed: false,
    invalid: invalid.map((field) => `${accessibleName(field, roleOf(field)) || field.name}: ${field.validationMessage}`).join('; '),
  };
}
