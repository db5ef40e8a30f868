// Forms: their fields, their default button, and where they would be submitted to.

import { comparableText, normalizeText } from '../dom.js';
import { isDisabled } from './element_state.js';

/** @param {Element} element @returns {HTMLFormElement | null} */
export function formOf(element) {
  return /** @type {HTMLInputElement} */ (element).form ?? element.closest('form');
}

/** A form's own property, even if a field of that name hides it: a field named "action" hides `form.action`. @param {HTMLFormElement} form @param {'elements' | 'method' | 'enctype' | 'target' | 'noValidate'} name */
export function formProperty(form, name) {
  return Reflect.get(HTMLFormElement.prototype, name, form);
}

/** @param {HTMLFormElement} form @returns {Element[]} */
export function formFields(form) {
  return [.../** @type {HTMLFormControlsCollection} */ (formProperty(form, 'elements'))];
}

/** @param {Element} element @returns {element is HTMLButtonElement | HTMLInputElement} */
export function isSubmitButton(element) {
  return (element instanceof HTMLButtonElement && element.type === 'submit')
    || (element instanceof HTMLInputElement && (element.type === 'submit' || element.type === 'image'));
}

/** The button that Enter in a field presses. @param {HTMLFormElement} form */
export function defaultButton(form) {
  return /** @type {HTMLButtonElement | undefined} */ (formFields(form).find((element) => isSubmitButton(element) && !isDisabled(element)));
}

/** Where a form would be submitted to, through a button that may override it. @param {HTMLFormElement} form @param {Element | undefined} button */
export function submission(form, button) {
  const submitter = button && isSubmitButton(button) ? button : undefined;
  return {
    action: submitter?.hasAttribute('formaction') ? submitter.formAction : actionOf(form),
    method: submitter?.hasAttribute('formmethod') ? submitter.formMethod : formProperty(form, 'method'),
    enctype: submitter?.hasAttribute('formenctype') ? submitter.formEnctype : formProperty(form, 'enctype'),
    target: submitter?.hasAttribute('formtarget') ? submitter.formTarget : formProperty(form, 'target'),
  };
}

/** @param {HTMLFormElement} form */
function actionOf(form) {
  const action = Element.prototype.getAttribute.call(form, 'action');
  try {
    // Without an action a form is submitted to the document's own URL, whatever its base is.
    return action ? new URL(action, document.baseURI).href : location.href;
  } catch {
    return action ?? '';
  }
}

/** What a form contains now. @param {HTMLFormElement} form */
export function formValues(form) {
  return formFields(form).map((element) => {
    const field = /** @type {HTMLInputElement} */ (element);
    if (field instanceof HTMLSelectElement) return [field.name, [...field.selectedOptions].map((option) => option.value)];
    if (field.type === 'file') return [field.name, [...(field.files ?? [])].map((file) => file.name)];
    return [field.name, field.value, field.checked ?? null, field.disabled];
  });
}

/** @param {HTMLSelectElement} select @param {string} wanted label or value @returns {HTMLOptionElement | null} */
export function findOption(select, wanted) {
  const options = [...select.options];
  const sought = comparableText(normalizeText(wanted));
  return options.find((option) => option.label === wanted || normalizeText(option.label) === wanted)
    ?? options.find((option) => option.value === wanted)
    ?? options.find((option) => comparableText(normalizeText(option.label)) === sought)
    ?? null;
}
