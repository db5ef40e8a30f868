// Makes sure that an approved form is sent as it was approved: the page's own handlers may change it between the check and the request.
//
// At the `submit` event a changed form is stopped. At the `formdata` event, which cannot be cancelled and comes also with
// `form.submit()`, what was approved is put back. At the `navigate` event the request itself is compared. In place of a form that was shown,
// no other one is sent by the same input. Requests that a page makes by other means (fetch) cannot be recognized here. Fields can have the names
// of a form's methods, so these are taken from the prototypes.

import { isCurrentWatch } from '../mutation_watch.js';
import { defaultButton, formFields, formOf, isSubmitButton, submission } from './forms.js';
import { GUARD_TIMEOUT_MS } from './link_guard.js';

/** @import { Watch } from '../mutation_watch.js' */
/** @typedef {[string, FormDataEntryValue]} Entry */

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

/** The same in any order. @param {Entry[]} entries */
function sorted(entries) {
  return comparable([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Another encoding than UTF-8 cannot be read from a URL: then only what is ASCII is compared. @param {HTMLFormElement} form @param {Entry[]} entries */
function readable(form, entries) {
  const isUtf8 = document.characterSet === 'UTF-8' && !Element.prototype.hasAttribute.call(form, 'accept-charset');
  return isUtf8 ? entries : entries.filter(([, value]) => typeof value === 'string' && !/[^\0-\x7f]/.test(value));
}

/** The form that a navigation sends, if any. @param {NavigateEvent} event */
function formSentBy(event) {
  const source = event.sourceElement;
  return source instanceof HTMLFormElement ? source : source && isSubmitButton(source) ? formOf(source) : null;
}

/** Stops `form.submit()` of a form during its `formdata` event: one outside of the document is not sent. @param {HTMLFormElement} form */
function stopByDetaching(form) {
  const place = document.createComment('');
  Element.prototype.replaceWith.call(form, place);
  setTimeout(() => place.replaceWith(form));
}

/**
 * Guards the form of an element from now on, as it is now. `stopped` is called when something else was about to be sent.
 * @param {Element} element @param {boolean} shown whether the input submits the form, so that it was shown: no other form is sent instead
 * @param {Watch} watch the one of the input @param {() => void} stopped
 */
export function guardSubmission(element, shown, watch, stopped) {
  endSubmissionGuard();
  const form = formOf(element);
  if (!form) return;
  const button = isSubmitButton(element) ? element : defaultButton(form);
  const entries = entriesOf(form);
  const names = new Set(entries.map(([name]) => name));
  const sentTo = submission(form, button);
  const root = Node.prototype.getRootNode.call(form);
  // A submit event does not leave its shadow root.
  const tops = root instanceof ShadowRoot ? [root, globalThis] : [globalThis];
  /** Names of what else the form sends: buttons and custom elements. @type {Set<string>} */
  const moreNames = new Set(button?.name ? [button.name, `${button.name}.x`, `${button.name}.y`] : ['x', 'y']);
  let refusesOthers = shown;

  /** @param {Element | null} submitter */
  const isChanged = (submitter) => JSON.stringify(submission(form, submitter ?? undefined)) !== JSON.stringify(sentTo) || comparable(entriesOf(form)) !== comparable(entries);
  /** @param {Event} event */
  const stop = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    stopped();
  };
  /** A click that leads to the request is over with its task; what the page sends later is its own. */
  const allowOthersLater = () => setTimeout(() => (refusesOthers = false));
  /** @param {Event} event */
  const checkSubmit = (event) => {
    const { submitter } = /** @type {SubmitEvent} */ (event);
    if (event.target === form && !event.defaultPrevented && isChanged(submitter ?? button ?? null)) stop(event);
  };
  /** @param {FormDataEvent} event @param {Entry[]} more what buttons and custom elements add */
  const restoreData = (event, more) => {
    const wanted = [...entries, ...more];
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
  /** @param {Event} event */
  const onEvent = (event) => {
    if (event.target === form) {
      allowOthersLater();
      // A listener that is added while the event is on its way down is called after the page's own.
      if (event.type === 'submit') return event.currentTarget?.addEventListener('submit', checkSubmit, { once: true });
      const more = [.../** @type {FormDataEvent} */ (event).formData].filter(([name]) => !names.has(name));
      for (const [name] of more) moreNames.add(name);
      event.currentTarget?.addEventListener('formdata', (last) => restoreData(/** @type {FormDataEvent} */ (last), more), { once: true });
    } else if (refusesOthers && isCurrentWatch(watch) && event.target instanceof HTMLFormElement) {
      if (event.type === 'formdata') stopByDetaching(event.target);
      stop(event);
    }
  };
  /** @param {NavigateEvent} event */
  const isAsApproved = (event) => {
    const { formData } = event;
    const to = new URL(event.destination.url);
    const receiver = URL.canParse(sentTo.action) ? new URL(sentTo.action) : to;
    if ((formData !== null) !== (sentTo.method === 'post') || to.origin !== receiver.origin || to.pathname !== receiver.pathname) return false;
    const data = [...(formData ?? to.searchParams)];
    if (!data.every(([name]) => names.has(name) || moreNames.has(name))) return false;
    const sent = data.filter(([name]) => names.has(name));
    if (formData !== null) return to.search === receiver.search && sorted(sent) === sorted(entries);
    const inUrl = entries.map(([name, value]) => /** @type {Entry} */ ([name, typeof value === 'string' ? value : value.name]));
    return sorted(readable(form, sent)) === sorted(readable(form, inUrl));
  };
  /** @param {NavigateEvent} event */
  const onNavigate = (event) => {
    if (formSentBy(event) === form && !isAsApproved(event)) stop(event);
  };
  for (const type of ['submit', 'formdata']) for (const top of tops) top.addEventListener(type, onEvent, { capture: true });
  addEventListener('click', allowOthersLater, { capture: true });
  globalThis.navigation?.addEventListener('navigate', onNavigate);
  const timer = setTimeout(() => endSubmissionGuard(), GUARD_TIMEOUT_MS);
  endSubmissionGuard = () => {
    clearTimeout(timer);
    for (const type of ['submit', 'formdata']) for (const top of tops) top.removeEventListener(type, onEvent, { capture: true });
    removeEventListener('click', allowOthersLater, { capture: true });
    globalThis.navigation?.removeEventListener('navigate', onNavigate);
    endSubmissionGuard = () => {};
  };
}
