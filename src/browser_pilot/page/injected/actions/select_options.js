// Choosing: options of drop-downs, check boxes, radio buttons, and whole forms field by field.

const OPTIONS_TOLD = 30;
const OPTIONS_COME_MS = 1_000;
const YES = new Set(['true', 'on', 'yes', '1', 'checked']);
const NO = new Set(['false', 'off', 'no', '0', 'unchecked', '']);

/** @param {HTMLSelectElement} select @param {string} wanted @returns {HTMLOptionElement | null} */
function optionFor(select, wanted) {
  const choices = [...select.options];
  const lower = tidy(wanted).toLowerCase();
  return choices.find((option) => option.label === wanted || tidy(option.label) === wanted)
    ?? choices.find((option) => option.value === wanted)
    ?? choices.find((option) => tidy(option.label).toLowerCase() === lower)
    ?? null;
}

/** @param {HTMLSelectElement} select */
function optionsInWords(select) {
  const labels = [...select.options].map((option) => tidy(option.label)).filter(Boolean);
  const more = labels.length > OPTIONS_TOLD ? `, and ${labels.length - OPTIONS_TOLD} more` : '';
  return labels.slice(0, OPTIONS_TOLD).map((label) => `"${label}"`).join(', ') + more;
}

/** @param {HTMLSelectElement} select @param {string[]} wanted @returns {Trouble | null} */
function chooseOptions(select, wanted) {
  if (!select.multiple && wanted.length !== 1) return { trouble: 'one option' };
  const chosen = new Set();
  for (const word of wanted) {
    const option = optionFor(select, word);
    if (option === null) return { trouble: 'no option', by: `"${word}"; there are ${optionsInWords(select)}` };
    const group = option.parentElement;
    if (option.disabled || (group instanceof HTMLOptGroupElement && group.disabled)) return { trouble: 'disabled option', by: `"${word}"` };
    chosen.add(option);
  }
  const changed = [...select.options].some((option) => option.selected !== chosen.has(option));
  if (!changed) return null;
  select.focus({ preventScroll: true });
  for (const option of select.options) option.selected = chosen.has(option);
  announce(select);
  return null;
}

/** Chooses options by label or value. @param {Aimed} aimed @param {string[]} wanted @param {number} patienceMs */
pilot.choose = async function choose(aimed, wanted, patienceMs) {
  let until = Infinity;
  for (;;) {
    const found = await readyField(aimed, patienceMs);
    if ('trouble' in found) return found.trouble === 'no field' ? { trouble: 'no select' } : found;
    const { field } = found;
    if (!(field instanceof HTMLSelectElement)) return { trouble: 'no select' };
    const watched = startWatch();
    const trouble = chooseOptions(field, wanted);
    if (trouble === null) {
      writing = { field, expected: wanted.map((word) => tidy(optionFor(field, word)?.label ?? word)).join('; '), before: '', watched };
      return pilot.wrote(false);
    }
    // Options often come from the network a moment later.
    until = Math.min(until, performance.now() + Math.min(patienceMs, OPTIONS_COME_MS));
    if (trouble.trouble !== 'no option' || performance.now() >= until) return trouble;
    await nextFrame();
  }
};

/** Makes a check box, radio button or switch as wanted. @param {Element} field @param {string | boolean} value @returns {Trouble | null} */
function setToggle(field, value) {
  const word = String(value).trim().toLowerCase();
  if (!YES.has(word) && !NO.has(word)) return { trouble: 'format', by: 'true or false' };
  const wanted = YES.has(word) ? 'checked' : 'unchecked';
  if (checkedState(field) === wanted) return null;
  if (wanted === 'unchecked' && roleOf(field) === 'radio') return { trouble: 'radio' };
  /** @type {HTMLElement} */ (field).focus({ preventScroll: true });
  /** @type {HTMLElement} */ (field).click();
  return null;
}

/** The radio button of a group that has a name or value. @param {Element} group @param {string} wanted */
function radioFor(group, wanted) {
  const radios = [...group.querySelectorAll('input[type=radio], [role=radio]')];
  const lower = tidy(wanted).toLowerCase();
  return radios.find((radio) => nameOf(radio, 'radio').toLowerCase() === lower)
    ?? radios.find((radio) => radio.getAttribute('value') === wanted) ?? null;
}

/**
 * Fills fields of any kind one after the other, and says of each what it holds then or why it could not be filled.
 * @param {{ aimed: Aimed, value: string | boolean | string[] }[]} fields @param {number} patienceMs
 */
pilot.fill = async function fill(fields, patienceMs) {
  const watched = startWatch();
  const until = performance.now() + patienceMs;
  const mine = abandoned;
  /** @type {(Trouble | { holds: string, matches: boolean })[]} */
  const told = [];
  /** @type {(() => Trouble | { holds: string, matches: boolean })[]} */
  const checks = [];
  const unfit = fields.map(({ aimed, value }) => unfitness(aimed, value));
  if (unfit.some((trouble) => trouble !== null)) {
    return { ...report(watched, true), fields: unfit.map((trouble) => trouble ?? { trouble: 'left' }) };
  }
  for (const { aimed, value } of fields) {
    if (mine !== abandoned) break;
    const trouble = await fillOne(aimed, value, Math.max(0, until - performance.now()), checks);
    if (trouble !== null) checks.push(() => trouble);
    await nextTask();
  }
  const quiet = await untilQuietOrUntouched(watched);
  for (const check of checks) told.push(check());
  return { ...report(watched, quiet), fields: told };
};

/** Why a field can never take a value. @param {Aimed} aimed @param {string | boolean | string[]} value @returns {Trouble | null} */
function unfitness(aimed, value) {
  const named = elementOf(refIn(aimed));
  if (named === null) return goneTrouble(refIn(aimed));
  if (isBroken(aimed, named)) return { trouble: 'changed' };
  const field = fieldOf(named);
  if (field === null) return typeof value === 'string' && radioFor(named, value) ? null : { trouble: 'no field' };
  return fieldKind(field) === 'file' ? { trouble: 'file' } : null;
}

/**
 * @param {Aimed} aimed @param {string | boolean | string[]} value @param {number} patienceMs
 * @param {(() => Trouble | { holds: string, matches: boolean })[]} checks @returns {Promise<Trouble | null>}
 */
async function fillOne(aimed, value, patienceMs, checks) {
  const named = elementOf(refIn(aimed));
  if (named && isBroken(aimed, named)) return { trouble: 'changed' };
  const radio = named && fieldOf(named) === null && typeof value === 'string' ? radioFor(named, value) : null;
  const found = radio ? { field: radio, kind: /** @type {FieldKind} */ ('toggle') } : await readyField(aimed, patienceMs);
  if ('trouble' in found) return found;
  const { kind } = found;
  if (kind === 'file') return { trouble: 'file' };
  if (kind === 'toggle') {
    const wanted = radio ? true : /** @type {string | boolean} */ (value);
    const trouble = setToggle(found.field, wanted);
    const state = YES.has(String(wanted).trim().toLowerCase()) ? 'checked' : 'unchecked';
    if (trouble === null) checks.push(() => ({ holds: checkedState(found.field), matches: checkedState(found.field) === state }));
    return trouble;
  }
  if (kind === 'select') {
    const wanted = Array.isArray(value) ? value : [String(value)];
    const trouble = await fillSelect(/** @type {HTMLSelectElement} */ (found.field), wanted, patienceMs);
    if (trouble === null) checks.push(() => checkText(found.field, wanted.map((word) => tidy(optionFor(/** @type {HTMLSelectElement} */ (found.field), word)?.label ?? word)).join('; ')));
    return trouble;
  }
  const field = focusOn(found.field);
  const text = String(value);
  if (kind === 'set') {
    const trouble = setValue(/** @type {HTMLInputElement} */ (field), text);
    if (trouble !== null) return trouble;
  } else {
    typeInScript(field, text, true);
  }
  checks.push(() => checkText(field, text));
  return null;
}

/** @param {HTMLSelectElement} select @param {string[]} wanted @param {number} patienceMs */
async function fillSelect(select, wanted, patienceMs) {
  const until = performance.now() + Math.min(patienceMs, OPTIONS_COME_MS);
  for (;;) {
    const trouble = chooseOptions(select, wanted);
    if (trouble?.trouble !== 'no option' || performance.now() >= until) return trouble;
    await nextFrame();
  }
}

/** @param {Element} field @param {string} expected */
function checkText(field, expected) {
  if (!field.isConnected) return { trouble: 'gone', by: 'the field was replaced by the page while the form was filled' };
  return { holds: tellable(field), matches: sameText(contentOf(field), expected, field) };
}

/** Sends the form of a field, through its submit button where it has one. @param {Aimed} aimed */
pilot.submit = function submit(aimed) {
  const named = elementOf(refIn(aimed));
  const watched = startWatch();
  if (named === null || isBroken(aimed, named)) return { sent: false, changed: true, invalid: '' };
  const form = formOf(fieldOf(named) ?? named);
  if (!form) return { sent: false, changed: false, invalid: '' };
  const faulty = ofForm(form, 'noValidate') ? [] : /** @type {HTMLInputElement[]} */ (fieldsOf(form)).filter((field) => field.willValidate && field.matches(':invalid'));
  // Not within this call, for a page may navigate in it, or ask the user something.
  setTimeout(() => {
    watched.stopped = isBroken(aimed, named);
    if (!watched.stopped) HTMLFormElement.prototype.requestSubmit.call(form, defaultButton(form));
  });
  return { sent: true, changed: false, invalid: faulty.map((field) => `${nameOf(field, roleOf(field)) || field.name}: ${field.validationMessage}`).join('; ') };
};
