// Fields: which element takes the value, how it is written there, and what the field holds afterwards.

/** @typedef {'text' | 'rich' | 'set' | 'toggle' | 'select' | 'file'} FieldKind */
/** @typedef {HTMLInputElement | HTMLTextAreaElement} TextField */

const SET_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
const BUTTON_TYPES = new Set(['button', 'submit', 'reset', 'image', 'hidden']);
const FORMATS = /** @type {Record<string, string>} */ ({
  date: '2024-05-31', time: '13:45', month: '2024-05', week: '2024-W22', 'datetime-local': '2024-05-31T13:45', color: '#ff8800',
  range: 'a number', number: 'a number',
});
// What is no field may become one while a page starts, but hardly later.
const FIELD_COMES_MS = 1_000;
const FIELDS_INSIDE = 'input:not([type=hidden]), textarea, select, [contenteditable]:not([contenteditable=false])';

/** @param {Element} element @returns {FieldKind | null} */
function fieldKind(element) {
  if (element instanceof HTMLTextAreaElement) return 'text';
  if (element instanceof HTMLSelectElement) return 'select';
  if (element instanceof HTMLInputElement) {
    if (element.type === 'checkbox' || element.type === 'radio') return 'toggle';
    if (element.type === 'file') return 'file';
    if (BUTTON_TYPES.has(element.type)) return null;
    return SET_TYPES.has(element.type) ? 'set' : 'text';
  }
  if (element instanceof HTMLElement && element.isContentEditable) return 'rich';
  return TOGGLE_ROLES.has(roleOf(element)) ? 'toggle' : null;
}

/** The field that an element is, labels or wraps. @param {Element} element @returns {Element | null} */
function fieldOf(element) {
  if (fieldKind(element) !== null) {
    if (!(element instanceof HTMLElement) || !element.isContentEditable) return element;
    let host = element;
    while (host.parentElement?.isContentEditable) host = host.parentElement;
    return host;
  }
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  const inside = [...element.querySelectorAll(FIELDS_INSIDE), ...(rootOf(element)?.querySelectorAll(FIELDS_INSIDE) ?? [])];
  return inside.length === 1 ? inside[0] : null;
}

/** What the field holds, as text. @param {Element} field */
function contentOf(field) {
  if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map((option) => tidy(option.label)).join('; ');
  if (fieldKind(field) === 'toggle') return checkedState(field);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field instanceof HTMLElement ? field.innerText.replace(/\u00a0/g, ' ').replace(/\n$/, '') : '';
}

/** The same, but fit to be told: secrets are not. @param {Element} field */
function tellable(field) {
  looks.delete(field); // its style may have changed since the page was last read
  return isSecret(field) ? '(secret)' : shorten(contentOf(field), 200);
}

/**
 * Waits until a field can be written to, brings it into view and gives it the focus.
 * @param {Aimed} aimed @param {number} patienceMs @returns {Promise<{ field: Element, kind: FieldKind } | Trouble>}
 */
async function readyField(aimed, patienceMs) {
  const ref = refIn(aimed);
  const began = performance.now();
  const until = began + patienceMs;
  const mine = abandoned;
  for (;;) {
    const named = elementOf(ref);
    if (named === null) return goneTrouble(ref);
    const field = fieldOf(named);
    const kind = field && fieldKind(field);
    /** @type {Trouble} */
    let trouble;
    if (!field || !kind) trouble = { trouble: 'no field' };
    else if (kind !== 'file' && !isShown(standIn(field))) trouble = { trouble: 'hidden' };
    else if (isDisabled(field)) trouble = { trouble: 'disabled' };
    else if (isReadOnly(field, roleOf(field))) trouble = { trouble: 'read-only' };
    else return isBroken(aimed, named) ? { trouble: 'changed' } : { field, kind };
    const now = performance.now();
    if (now >= until || mine !== abandoned || (trouble.trouble === 'no field' && now >= began + FIELD_COMES_MS)) return trouble;
    await nextFrame();
  }
}

/** Gives a field the focus; the page may put another field in its place then. @param {Element} field */
function focusOn(field) {
  const rect = field.getBoundingClientRect();
  const inView = rect.top >= 0 && rect.bottom <= innerHeight && rect.left >= 0 && rect.right <= innerWidth;
  if (!inView) field.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  /** @type {HTMLElement} */ (field).focus({ preventScroll: true });
  if (field.isConnected) return field;
  const instead = focusedElement();
  return instead && fieldKind(instead) !== null ? instead : field;
}

/** Selects what is in a field, or puts the caret at its end. @param {Element} field @param {boolean} all */
function selectIn(field, all) {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    if (all) field.select();
    else if (field.selectionStart !== null) field.setSelectionRange(field.value.length, field.value.length);
    return;
  }
  const selection = getSelection();
  selection?.selectAllChildren(field);
  if (!all) selection?.collapseToEnd();
}

/** Puts text in place of the selection, as typing would. @param {Element} field @param {string} text */
function insertText(field, text) {
  if (text !== '') document.execCommand('insertText', false, text);
  else if (contentOf(field) !== '') document.execCommand('delete');
}

/** Sets a field that is not typed into (a date, a colour, a slider). @param {HTMLInputElement} field @param {string} value @returns {Trouble | null} */
function setValue(field, value) {
  const before = field.value;
  field.value = value;
  const same = field.type === 'range' ? Number(field.value) === Number(value) : field.value.toLowerCase() === value.toLowerCase();
  const timeWithSeconds = field.value.startsWith(value) || value.startsWith(field.value);
  if (!same && !(field.value !== '' && timeWithSeconds)) {
    const limits = field.type === 'range' ? ` from ${field.min || 0} to ${field.max || 100} in steps of ${field.step || 1}` : '';
    field.value = before;
    return { trouble: 'format', by: `${field.type}, such as ${FORMATS[field.type]}${limits}` };
  }
  if (field.value !== before) announce(field);
  return null;
}

/** Tells the page that a field was changed. @param {Element} field */
function announce(field) {
  field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** @type {{ field: Element, expected: string | null, before: string, watched: Watch } | null} */
let writing = null;

/** Editors of code keep a small field for the keys and draw the text themselves. @param {Element} field */
function isProxy(field) {
  return field.closest('.monaco-editor, .CodeMirror, .ace_editor') !== null;
}

/**
 * Writes text into a field. Rich text, and text that is to come by keys, is left to real input: then only the place for
 * it is made ready, and `wrote` is to be asked afterwards.
 * @param {Aimed} aimed @param {string} text @param {{ clear: boolean, byKeys: boolean, quick: boolean, patienceMs: number }} wish
 */
pilot.write = async function write(aimed, text, wish) {
  const found = await readyField(aimed, wish.patienceMs);
  if ('trouble' in found) return found;
  const { kind } = found;
  if (kind === 'toggle' || kind === 'select' || kind === 'file') return { trouble: kind };
  const watched = startWatch();
  const field = focusOn(found.field);
  const before = contentOf(field);
  const proxy = isProxy(field);
  writing = { field, expected: proxy ? null : wish.clear ? text : before + text, before, watched };
  if (kind === 'set') {
    const trouble = setValue(/** @type {HTMLInputElement} */ (field), text);
    return trouble ?? pilot.wrote(wish.quick);
  }
  if (proxy) return { selectByKeys: wish.clear };
  if (text !== '' && (wish.byKeys || kind === 'rich')) {
    selectIn(field, wish.clear);
    return { selectByKeys: false };
  }
  typeInScript(field, text, wish.clear);
  return pilot.wrote(wish.quick);
};

/** Puts text in and lets those know that listen to keys where they mean input. @param {Element} field @param {string} text @param {boolean} clear */
function typeInScript(field, text, clear) {
  const key = text.at(-1) ?? 'Backspace';
  const keyCode = text === '' ? 8 : key.toUpperCase().charCodeAt(0);
  const keys = { key, keyCode, bubbles: true, composed: true, cancelable: true };
  field.dispatchEvent(new KeyboardEvent('keydown', keys));
  selectIn(field, clear);
  insertText(field, text);
  field.dispatchEvent(new KeyboardEvent('keyup', keys));
}

/** What a field holds after it was written to, once the page has had its say. @param {boolean} quick */
pilot.wrote = async function wrote(quick) {
  const mine = writing;
  if (mine === null) return { ...(await pilot.settled()), matches: null, holds: '', unchanged: false };
  writing = null;
  const quiet = quick || (await untilQuietOrUntouched(mine.watched));
  const holds = contentOf(mine.field);
  return {
    ...report(mine.watched, quiet),
    matches: mine.expected === null || !mine.field.isConnected || sameText(holds, mine.expected, mine.field),
    holds: tellable(mine.field),
    unchanged: holds === mine.before,
  };
};

/** @param {string} holds @param {string} expected @param {Element} field */
function sameText(holds, expected, field) {
  if (holds === expected) return true;
  if (field instanceof HTMLInputElement && field.type === 'number') return holds !== '' && Number(holds) === Number(expected);
  if (field instanceof HTMLInputElement && SET_TYPES.has(field.type)) {
    return holds !== '' && (holds.startsWith(expected) || expected.startsWith(holds) || Number(holds) === Number(expected));
  }
  return tidy(holds) === tidy(expected) && (tidy(expected) !== '' || holds === '');
}
