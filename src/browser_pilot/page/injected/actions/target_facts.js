// What an element is and what acting on it would send, for whoever decides; and a seal that breaks when that changes.

/** @typedef {{ ref: string, seal: string, values: boolean }} Sealed An element as it was when it was decided about. */
/** @typedef {string | Sealed} Aimed */

const ROW = 'tr, li, [role=row], [role=listitem]';
const MOST_FIELDS = 200;
const LONGEST_ROW = 1_000;

/** @param {Aimed} aimed */
function refIn(aimed) {
  return typeof aimed === 'string' ? aimed : aimed.ref;
}

/** What a click on an element is really for: a word in a button is the button. @param {Element} element @returns {Element} */
function actedOn(element) {
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  return fieldOf(element) ?? element.closest(INTERACTIVE) ?? element;
}

/** @param {Element} element @returns {HTMLFormElement | null} */
function formOf(element) {
  return /** @type {HTMLInputElement} */ (element).form ?? element.closest('form');
}

/** A form's own property, whatever its fields are called: a field named "action" hides `form.action`. @param {HTMLFormElement} form @param {'elements' | 'method' | 'target' | 'noValidate'} name */
function ofForm(form, name) {
  return Reflect.get(HTMLFormElement.prototype, name, form);
}

/** @param {HTMLFormElement} form @returns {Element[]} */
function fieldsOf(form) {
  return [.../** @type {HTMLFormControlsCollection} */ (ofForm(form, 'elements'))];
}

/** @param {Element} element @returns {element is HTMLButtonElement | HTMLInputElement} */
function isSubmitButton(element) {
  return (element instanceof HTMLButtonElement && element.type === 'submit')
    || (element instanceof HTMLInputElement && (element.type === 'submit' || element.type === 'image'));
}

/** The button that Enter in a field presses. @param {HTMLFormElement} form */
function defaultButton(form) {
  return /** @type {HTMLButtonElement | undefined} */ (fieldsOf(form).find((element) => isSubmitButton(element) && !isDisabled(element)));
}

/** @param {Element} element @param {string} role */
function spokenName(element, role) {
  return nameOf(element, role) || element.getAttribute('title') || shorten(tidy(element.textContent ?? ''), 200);
}

/** @param {HTMLFormElement} form */
function actionOf(form) {
  const written = Element.prototype.getAttribute.call(form, 'action');
  try {
    // Without an action a form goes to the document's own address, whatever its base is.
    return written ? new URL(written, document.baseURI).href : location.href;
  } catch {
    return written ?? '';
  }
}

/** Where a form would go, through a button that may say otherwise. @param {HTMLFormElement} form @param {Element | undefined} button */
function sending(form, button) {
  const own = button && isSubmitButton(button) ? button : undefined;
  return {
    action: own?.hasAttribute('formaction') ? own.formAction : actionOf(form),
    method: own?.hasAttribute('formmethod') ? own.formMethod : ofForm(form, 'method'),
    target: own?.hasAttribute('formtarget') ? own.formTarget : ofForm(form, 'target'),
  };
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

/** What a form holds now. @param {HTMLFormElement} form */
function valuesOf(form) {
  return fieldsOf(form).map((element) => {
    const field = /** @type {HTMLInputElement} */ (element);
    if (field instanceof HTMLSelectElement) return [field.name, [...field.selectedOptions].map((option) => option.value)];
    if (field.type === 'file') return [field.name, [...(field.files ?? [])].map((file) => file.name)];
    return [field.name, field.value, field.checked ?? null, field.disabled];
  });
}

/** Everything that a decision about an element rests on, as one text. @param {Element} named @param {boolean} values whether what its form holds counts */
function sealOf(named, values) {
  const element = actedOn(named);
  const role = roleOf(element);
  const form = formOf(element);
  const button = isSubmitButton(element) ? element : form ? defaultButton(form) : undefined;
  return JSON.stringify([
    documentToken,
    location.href,
    element.localName,
    role,
    spokenName(element, role),
    spokenName(named, roleOf(named)),
    fieldFacts(element),
    /** @type {HTMLAnchorElement} */ (element).href ?? '',
    element.getAttribute('target') ?? '',
    form && sending(form, button),
    button ? spokenName(button, 'button') : '',
    shorten(tidy(element.closest(ROW)?.textContent ?? ''), LONGEST_ROW),
    form && values ? valuesOf(form) : null,
  ]);
}

/** Whether an element is no longer what was decided about. @param {Aimed} aimed @param {Element} named */
function isBroken(aimed, named) {
  return typeof aimed !== 'string' && sealOf(named, aimed.values) !== aimed.seal;
}

/**
 * What acting on an element means. Without a ref: on what has the focus; then its ref is told as well.
 * @param {string | null} ref @param {{ sends: boolean, values: boolean }} how
 */
pilot.facts = function facts(ref, how) {
  const named = ref === null ? focusedElement() : elementOf(ref);
  if (named === null) return ref === null ? { frame: null } : goneTrouble(ref);
  const inside = frameNumbers.get(named);
  if (ref === null && inside !== undefined) return { frame: inside };
  const element = actedOn(named);
  const role = roleOf(element);
  const form = formOf(element);
  const submits = form !== null && (how.sends || isSubmitButton(element));
  const button = isSubmitButton(element) ? element : form ? defaultButton(form) : undefined;
  const to = form && submits ? sending(form, button) : null;
  return {
    ref: ref ?? refOf(named, roleOf(named), spokenName(named, roleOf(named))),
    lastRef: nextRef - 1,
    origin: location.origin,
    role: role === 'generic' ? '' : role,
    name: spokenName(element, role),
    field: fieldFacts(element),
    href: String(/** @type {HTMLAnchorElement} */ (element).href ?? ''),
    submits,
    submitName: submits && button && button !== element ? spokenName(button, 'button') : '',
    formAction: to?.action ?? '',
    formMethod: to?.method ?? '',
    formFields: submits ? fieldsOf(form).slice(0, MOST_FIELDS).map(fieldFacts) : [],
    seal: sealOf(named, how.values),
  };
};
