// Fields that were filled with a secret of the user, and the values of these secrets. Both stay in the isolated world of this document.
//
// A field that got a secret is never read again, whatever becomes of its type or value: parts of a value would add up to it.

const REDACTED = '[redacted:secret]';
const COPY_EVENTS = ['copy', 'cut', 'dragstart'];

/** @type {WeakSet<Element>} */
const filledFields = new WeakSet();
/** @type {WeakRef<Element>[]} */
const filledRefs = [];
/** @type {Set<string>} */
const hiddenValues = new Set();

/** A field that is about to get secrets. @param {Element} field @param {string[]} values */
export function markFilled(field, values) {
  hideValues(values);
  if (filledFields.has(field)) return;
  if (filledRefs.length === 0) for (const type of COPY_EVENTS) addEventListener(type, preventCopy, { capture: true });
  filledFields.add(field);
  filledRefs.push(new WeakRef(field));
}

/** As in password fields: a part of the value must not get to where it can be read. @param {Event} event */
function preventCopy(event) {
  if (!event.composedPath().some((target) => target instanceof Element && isFilled(target))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Values that no text of this document is matched with. @param {string[]} values */
export function hideValues(values) {
  for (const value of values) hiddenValues.add(value);
}

/** @param {Element} element */
export function isFilled(element) {
  return filledRefs.length > 0 && filledFields.has(element);
}

/** The fields in the document that were filled with a secret. */
export function filledElements() {
  return filledRefs.map((ref) => ref.deref()).filter((field) => field?.isConnected === true).map((field) => /** @type {Element} */ (field));
}

export function hidesValues() {
  return hiddenValues.size > 0;
}

/** @param {string} text */
export function containsSecret(text) {
  for (const value of hiddenValues) if (text.includes(value)) return true;
  return false;
}

/** The text as it is in results: a search must not tell what is hidden there. @param {string} text */
export function withoutSecrets(text) {
  let shown = text;
  for (const value of hiddenValues) shown = shown.replaceAll(value, REDACTED);
  return shown;
}
