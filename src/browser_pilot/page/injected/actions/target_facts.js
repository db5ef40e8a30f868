// The facts about a target that its authorization depends on, and a fingerprint of them.

import { frameNumberOf } from '../cdp_facts.js';
import { focusedElement, normalizeText, parentOf, truncate } from '../dom.js';
import { documentToken, elementOf, lastRef, refOf } from '../refs.js';
import { accessibleName } from '../snapshot/accname.js';
import { roleOf } from '../snapshot/roles.js';
import { INTERACTIVE } from './element_state.js';
import { goneFailure } from './failures.js';
import { fieldOf } from './field_kinds.js';
import { formPreview } from './form_preview.js';
import { defaultButton, findOption, formFields, formOf, formValues, isSubmitButton, submission } from './forms.js';
import { actsAtOnce, dialogText, identifiersOf, linkTarget, otherTexts, stableTexts } from './target_texts.js';

/** @typedef {{ ref: string, fingerprint: string, values: boolean }} AuthorizedTarget An element with its fingerprint at the time of the authorization. */
/** @typedef {string | AuthorizedTarget} Target A ref, perhaps with a fingerprint. */

const ROW = 'tr, li, [role=row], [role=listitem]';
const MAX_FIELDS = 200;
const MAX_FORMS = 20;
const MAX_CHOICES = 20;
const MAX_ROW_LENGTH = 1_000;
const EMPTY_FACTS = {
  role: '', name: '', texts: [], choices: [], actsAtOnce: false, identifiers: '', field: { type: '', autocomplete: '', name: '' }, href: '',
  opens: '', dialog: '',
};

/** @param {Target} target */
export function refIn(target) {
  return typeof target === 'string' ? target : target.ref;
}

/** The element that a click on another one activates, such as the button around a text. @param {Element} element @returns {Element} */
export function actedOn(element) {
  if (element === document.body) return element;
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  const field = fieldOf(element);
  if (field !== null) return field;
  // Also out of shadow roots: the drawing of an icon in a button belongs to the button.
  for (let node = /** @type {Element | null} */ (element); node; node = parentOf(node)) if (node.matches(INTERACTIVE)) return node;
  return element;
}

/** @param {Element} element @param {string} role */
export function displayName(element, role) {
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

/** Which of its kind an element is, where a label or a text stands for it: labels can be moved to another one. @param {Element} element @param {Element} resolved */
function positionOf(element, resolved) {
  if (element === resolved) return -1;
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  return [...root.querySelectorAll(element.localName)].indexOf(element);
}

/** Everything that the authorization of an action depends on, as one text. @param {Element} resolved @param {boolean} values whether the form's values count */
function fingerprintOf(resolved, values) {
  if (resolved === document.body) return JSON.stringify([documentToken, location.href, pageForms().map((form) => submission(form, defaultButton(form)))]);
  const element = actedOn(resolved);
  const role = roleOf(element);
  const form = formOf(element);
  const button = isSubmitButton(element) ? element : form ? defaultButton(form) : undefined;
  return JSON.stringify([
    documentToken,
    location.href,
    element.localName,
    positionOf(element, resolved),
    role,
    displayName(element, role),
    displayName(resolved, roleOf(resolved)),
    fieldFacts(element),
    /** @type {HTMLAnchorElement} */ (element).href ?? '',
    element.getAttribute('target') ?? '',
    form && submission(form, button),
    button ? displayName(button, 'button') : '',
    stableTexts(element),
    truncate(normalizeText(element.closest(ROW)?.textContent ?? ''), MAX_ROW_LENGTH),
    form && values ? formValues(form) : null,
  ]);
}

/** Whether an element is no longer what was authorized. @param {Target} target @param {Element} resolved */
export function hasChanged(target, resolved) {
  return typeof target !== 'string' && fingerprintOf(resolved, target.values) !== target.fingerprint;
}

/** The options that a call is about to select, by their labels. @param {Element} element @param {string[]} wanted */
function choiceTexts(element, wanted) {
  if (!(element instanceof HTMLSelectElement)) return [];
  return wanted.slice(0, MAX_CHOICES).map((one) => truncate(normalizeText(findOption(element, one)?.label ?? one), 200));
}

/** @returns {HTMLFormElement[]} */
function pageForms() {
  return [...document.forms].slice(0, MAX_FORMS);
}

/** What a page's own keyboard shortcut may submit when the focus is in no form: any form of the page. */
function pageSubmission() {
  const forms = pageForms();
  const button = forms.length === 1 ? defaultButton(forms[0]) : undefined;
  const to = forms.length === 1 ? submission(forms[0], button) : null;
  return {
    submits: forms.length > 0,
    submitName: button ? displayName(button, 'button') : '',
    formAction: to?.action ?? '',
    formMethod: to?.method ?? '',
    form: forms.length === 1 ? formPreview(forms[0], null) : null,
    formFields: forms.flatMap(formFields).slice(0, MAX_FIELDS).map(fieldFacts),
  };
}

/** The page as the target of a shortcut when nothing has the focus. */
function pageFacts() {
  return {
    ...EMPTY_FACTS,
    ref: refOf(document.body, '', ''),
    lastRef: lastRef(),
    origin: location.origin,
    ...pageSubmission(),
    fingerprint: fingerprintOf(document.body, false),
  };
}

/**
 * The facts about an element as a target; without a ref, about the focused element, whose ref is part of the result. A `shortcut`
 * outside of any form may be for all forms of the page.
 * @param {string | null} ref @param {{ submits: boolean, values: boolean, shortcut: boolean, choices: string[] }} options
 */
export function targetFacts(ref, options) {
  const resolved = ref === null ? focusedElement() : elementOf(ref);
  if (resolved === null && ref === null && options.shortcut) return pageFacts();
  if (resolved === null) return ref === null ? { frame: null } : goneFailure(ref);
  const frame = frameNumberOf(resolved);
  if (ref === null && frame !== undefined) return { frame };
  const element = actedOn(resolved);
  const role = roleOf(element);
  const form = formOf(element);
  const submits = form !== null && (options.submits || isSubmitButton(element));
  const button = isSubmitButton(element) ? element : form ? defaultButton(form) : undefined;
  const to = form && submits ? submission(form, button) : null;
  const name = displayName(element, role);
  const texts = otherTexts(element, resolved, role, name);
  return {
    ref: ref ?? refOf(resolved, roleOf(resolved), displayName(resolved, roleOf(resolved))),
    lastRef: lastRef(),
    origin: location.origin,
    role: role === 'generic' ? '' : role,
    name,
    texts,
    choices: choiceTexts(element, options.choices),
    actsAtOnce: actsAtOnce(element, form),
    identifiers: identifiersOf(element, name, texts),
    field: fieldFacts(element),
    href: String(/** @type {HTMLAnchorElement} */ (element).href ?? ''),
    opens: linkTarget(element),
    dialog: dialogText(element),
    submits,
    submitName: submits && button && button !== element ? displayName(button, 'button') : '',
    formAction: to?.action ?? '',
    formMethod: to?.method ?? '',
    form: submits ? formPreview(form, options.values ? null : element) : null,
    formFields: submits ? formFields(form).slice(0, MAX_FIELDS).map(fieldFacts) : [],
    ...(options.shortcut && form === null ? pageSubmission() : {}),
    fingerprint: fingerprintOf(resolved, options.values),
  };
}
