// Makes sure that an approved form is sent as it was approved: the page's own handlers may change it between the click and the request.
//
// At the `submit` event a changed form is stopped. At the `formdata` event, which cannot be cancelled and comes also with
// `form.submit()`, what was approved is put back. Requests that a page makes by other means (fetch) cannot be recognized here.

import { defaultButton, formFields, formOf, isSubmitButton, submission } from './forms.js';

/** @typedef {[string, FormDataEntryValue]} Entry */

// A page may validate a form before it submits it.
const GUARD_TIMEOUT_MS = 10_000;

/** @type {() => void} */
let endSubmissionGuard = () => {};

/** What the controls of a form would send, without a button and without custom elements. @param {HTMLFormElement} form @returns {Entry[]} */
function entriesOf(form) {
  /** @type {Entry[]} */
  const entries = [];
  for (const element of formFields(form)) {
    const field = /** @type {HTMLInputElement} */ (element);
    const select = element instanceof HTMLSelectElement ? element : null;
    if (!field.name || field.matches(':disabled') || ['submit', 'image', 'button', 'reset'].includes(field.type)) continue;
    if (select) for (const option of select.selectedOptions) entries.push([field.name, option.value]);
    else if (field.type === 'file') for (const file of field.files ?? []) entries.push([field.name, file]);
    else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      if (!['checkbox', 'radio'].includes(field.type) || field.checked) entries.push([field.name, field.value]);
    }
  }
  return entries;
}

/** Line breaks are normalized when a form is sent. @param {Entry[]} entries */
function comparable(entries) {
  return JSON.stringify(entries.map(([name, value]) => [name, typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : [value.name, value.size]]));
}

/**
 * Guards the form of an element from now on, as it is now. `stopped` is called when the page has changed it.
 * @param {Element} element @param {() => void} stopped
 */
export function guardSubmission(element, stopped) {
  endSubmissionGuard();
  const form = formOf(element);
  if (!form) return;
  const button = isSubmitButton(element) ? element : defaultButton(form);
  const entries = entriesOf(form);
  const sentTo = submission(form, button);
  const root = form.getRootNode();
  // A submit event does not leave its shadow root.
  const top = root instanceof ShadowRoot ? root : globalThis;

  /** @param {Element | null} submitter */
  const isChanged = (submitter) => JSON.stringify(submission(form, submitter ?? undefined)) !== JSON.stringify(sentTo) || comparable(entriesOf(form)) !== comparable(entries);
  /** @param {Event} event */
  const checkSubmit = (event) => {
    const { submitter } = /** @type {SubmitEvent} */ (event);
    if (event.target !== form || event.defaultPrevented || !isChanged(submitter ?? button ?? null)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    stopped();
  };
  /** @param {FormDataEvent} event @param {Entry[]} before */
  const checkData = (event, before) => {
    const names = new Set(entries.map(([name]) => name));
    const wanted = [...entries, ...before.filter(([name]) => !names.has(name))];
    const sorted = (/** @type {Entry[]} */ list) => comparable([...list].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    if (sorted(wanted) !== sorted([...event.formData])) {
      for (const name of [...event.formData.keys()]) event.formData.delete(name);
      for (const [name, value] of wanted) event.formData.append(name, value);
    }
    if (JSON.stringify(submission(form, button)) === JSON.stringify(sentTo)) return;
    for (const [name, value] of Object.entries(sentTo)) {
      Element.prototype.setAttribute.call(form, name, String(value));
      button?.removeAttribute(`form${name}`);
    }
  };
  /** Listeners that are added while the event is on its way down are called after the page's own. @param {Event} event */
  const onEvent = (event) => {
    if (event.target !== form) return;
    if (event instanceof FormDataEvent) {
      const before = [...event.formData];
      top.addEventListener('formdata', (last) => checkData(/** @type {FormDataEvent} */ (last), before), { once: true });
    } else top.addEventListener('submit', checkSubmit, { once: true });
  };
  for (const type of ['submit', 'formdata']) top.addEventListener(type, onEvent, { capture: true });
  const timer = setTimeout(() => endSubmissionGuard(), GUARD_TIMEOUT_MS);
  endSubmissionGuard = () => {
    clearTimeout(timer);
    for (const type of ['submit', 'formdata']) top.removeEventListener(type, onEvent, { capture: true });
    endSubmissionGuard = () => {};
  };
}
