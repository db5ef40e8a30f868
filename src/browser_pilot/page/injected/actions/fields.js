// Writes text into a field, and reports what it contains afterwards.

import { focusedElement, normalizeText, parentOf } from '../dom.js';
import { markFilled } from '../filled_secrets.js';
import { report, startWatch, waitIdle, waitQuietOrUntouched } from '../mutation_watch.js';
import { elementOf, refOf } from '../refs.js';
import { nextFrame } from '../scheduling.js';
import { accessibleName } from '../snapshot/accname.js';
import { roleOf } from '../snapshot/roles.js';
import { isSecret } from '../snapshot/secret_fields.js';
import { isReadOnly } from '../snapshot/states.js';
import { cancellation } from './cancellation.js';
import { elementOrLabel, isDisabled, isVisible } from './element_state.js';
import { describeElement, goneFailure } from './failures.js';
import { fieldContent, fieldKind, fieldOf, SET_TYPES, shownContent } from './field_kinds.js';
import { hasChanged, refIn } from './target_facts.js';

/** @import { Watch } from '../mutation_watch.js' */
/** @import { Failure } from './failures.js' */
/** @import { FieldKind } from './field_kinds.js' */
/** @import { Target } from './target_facts.js' */

/** A write whose result was not reported yet. `expected`: the content that the field should have, if that can be known.
 * @typedef {{ field: Element, expected: string | null, before: string, watch: Watch }} PendingWrite */

const FORMATS = /** @type {Record<string, string>} */ ({
  date: '2024-05-31', time: '13:45', month: '2024-05', week: '2024-W22', 'datetime-local': '2024-05-31T13:45', color: '#ff8800',
  range: 'a number', number: 'a number',
});
// An element may become a field while a page starts, but rarely later.
const FIELD_TIMEOUT_MS = 1_000;

const MAX_KEPT_AROUND = 6;

/** @type {PendingWrite | null} */
let pendingWrite = null;
/** The last write that the page had accepted, until something else had the focus. `around`: its ancestors, innermost first.
 * @type {{ field: Element, text: string, ref: string, around: Element[] } | null} */
let keptWrite = null;

/** Waits until a field can be written to. @param {Target} target @param {number} timeoutMs @returns {Promise<{ field: Element, kind: FieldKind } | Failure>} */
export async function waitForField(target, timeoutMs) {
  const ref = refIn(target);
  const startedAt = performance.now();
  const deadline = startedAt + timeoutMs;
  const isCancelled = cancellation();
  for (;;) {
    const resolved = elementOf(ref);
    if (resolved === null) return goneFailure(ref);
    const field = fieldOf(resolved);
    const kind = field && fieldKind(field);
    /** @type {Failure} */
    let failure;
    if (!field || !kind) failure = { error: 'no field' };
    else if (kind !== 'file' && !isVisible(elementOrLabel(field))) failure = { error: 'hidden' };
    else if (isDisabled(field)) failure = { error: 'disabled' };
    else if (isReadOnly(field, roleOf(field))) failure = { error: 'read-only' };
    else return hasChanged(target, resolved) ? { error: 'changed' } : { field, kind };
    const now = performance.now();
    if (now >= deadline || isCancelled() || (failure.error === 'no field' && now >= startedAt + FIELD_TIMEOUT_MS)) return failure;
    await nextFrame();
  }
}

/** Focuses a field in the viewport; the page may replace it by another one then. @param {Element} field */
export function focusField(field) {
  const rect = field.getBoundingClientRect();
  const inView = rect.top >= 0 && rect.bottom <= innerHeight && rect.left >= 0 && rect.right <= innerWidth;
  if (!inView) field.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  /** @type {HTMLElement} */ (field).focus({ preventScroll: true });
  if (field.isConnected) return field;
  const focused = focusedElement();
  return focused && fieldKind(focused) !== null ? focused : field;
}

/** Selects the content of a field, or puts the caret at its end. @param {Element} field @param {boolean} all */
function selectContent(field, all) {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    if (all) field.select();
    else if (field.selectionStart !== null) field.setSelectionRange(field.value.length, field.value.length);
    return;
  }
  const selection = getSelection();
  selection?.selectAllChildren(field);
  if (!all) selection?.collapseToEnd();
}

/** Replaces the selection, as typing would. @param {Element} field @param {string} text */
function insertText(field, text) {
  if (text !== '') document.execCommand('insertText', false, text);
  else if (fieldContent(field) !== '') document.execCommand('delete');
}

/** Sets a field that is not typed into (a date, a colour, a slider). @param {HTMLInputElement} field @param {string} value @returns {Failure | null} */
export function setValue(field, value) {
  const before = field.value;
  field.value = value;
  const same = field.type === 'range' ? Number(field.value) === Number(value) : field.value.toLowerCase() === value.toLowerCase();
  const timeWithSeconds = field.value.startsWith(value) || value.startsWith(field.value);
  if (!same && !(field.value !== '' && timeWithSeconds)) {
    const limits = field.type === 'range' ? ` from ${field.min || 0} to ${field.max || 100} in steps of ${field.step || 1}` : '';
    field.value = before;
    return { error: 'format', by: `${field.type}, such as ${FORMATS[field.type]}${limits}` };
  }
  if (field.value !== before) dispatchChange(field);
  return null;
}

/** @param {Element} field */
export function dispatchChange(field) {
  field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Code editors have a small field for the keys and draw the text themselves. @param {Element} field */
function isCodeEditor(field) {
  return field.closest('.monaco-editor, .CodeMirror, .ace_editor') !== null;
}

/**
 * Writes text into a field. Rich text, and text that is typed by keys, is left to CDP input: then the field is only prepared for it,
 * and `writeResult` is to be called afterwards.
 * @param {Target} target @param {string} text
 * @param {{ clear: boolean, byKeys: boolean, quick: boolean, timeoutMs: number, secrets: string[] }} options `secrets`: those in the text
 */
export async function writeText(target, text, options) {
  const found = await waitForField(target, options.timeoutMs);
  if ('error' in found) return found;
  const { kind } = found;
  if (kind === 'toggle' || kind === 'select' || kind === 'file') return { error: kind };
  const watch = startWatch();
  const field = focusField(found.field);
  if (options.secrets.length) markFilled(field, options.secrets);
  const before = fieldContent(field);
  const codeEditor = isCodeEditor(field);
  pendingWrite = { field, expected: codeEditor ? null : options.clear ? text : before + text, before, watch };
  if (kind === 'set') return setValue(/** @type {HTMLInputElement} */ (field), text) ?? writeResult(options.quick);
  if (codeEditor) return { selectByKeys: options.clear };
  if (text !== '' && (options.byKeys || kind === 'rich')) {
    selectContent(field, options.clear);
    return { selectByKeys: false };
  }
  typeByScript(field, text, options.clear);
  return writeResult(options.quick);
}

/** Inserts text, with key events for pages that listen to keys instead of input. @param {Element} field @param {string} text @param {boolean} clear */
export function typeByScript(field, text, clear) {
  const key = text.at(-1) ?? 'Backspace';
  const keyCode = text === '' ? 8 : key.toUpperCase().charCodeAt(0);
  const keys = { key, keyCode, bubbles: true, composed: true, cancelable: true };
  field.dispatchEvent(new KeyboardEvent('keydown', keys));
  selectContent(field, clear);
  insertText(field, text);
  field.dispatchEvent(new KeyboardEvent('keyup', keys));
}

/** The content of the field that was written to, once the page is quiet. @param {boolean} quick */
export async function writeResult(quick) {
  const write = pendingWrite;
  if (write === null) return { ...(await waitIdle()), matches: null, holds: '', unchanged: false };
  pendingWrite = null;
  return reportWrite(write, quick);
}

/** @param {PendingWrite} write @param {boolean} quick */
export async function reportWrite(write, quick) {
  const quiet = quick || (await waitQuietOrUntouched(write.watch));
  const content = fieldContent(write.field);
  const matches = write.expected === null || !write.field.isConnected || matchesText(content, write.expected, write.field);
  const discarded = discardedWrite();
  if (matches && !quick && write.expected && write.field.isConnected) keepWrite(write.field, write.expected);
  return {
    ...report(write.watch, quiet),
    matches,
    discarded,
    holds: shownContent(write.field),
    unchanged: content === write.before,
  };
}

/** @param {Element} field @param {string} text */
function keepWrite(field, text) {
  /** @type {Element[]} */
  const around = [];
  for (let node = parentOf(field); node && around.length < MAX_KEPT_AROUND; node = parentOf(node)) around.push(node);
  const role = roleOf(field);
  keptWrite = { field, text, ref: refOf(field, role, accessibleName(field, role)), around };
}

/** The field whose text the page had accepted and discarded when the focus left it, with what it holds now; null if there is none. */
function discardedWrite() {
  const write = keptWrite;
  if (write === null || focusedElement() === write.field) return null;
  keptWrite = null;
  const field = describeElement(write.field);
  if (write.field.isConnected) return matchesText(fieldContent(write.field), write.text, write.field) ? null : { field, holds: shownContent(write.field) };
  // An editor is removed when it is left; what it wrote is then in its place.
  const place = write.around.find((node) => node.isConnected);
  const kept = !place || isSecret(write.field) || [...fieldTexts(place)].some((text) => normalizeText(text).includes(normalizeText(write.text)));
  return kept ? null : { field, holds: '' };
}

/** @param {Element} place */
function* fieldTexts(place) {
  yield place instanceof HTMLElement ? place.innerText : place.textContent ?? '';
  for (const field of place.querySelectorAll('input, textarea')) yield /** @type {HTMLInputElement} */ (field).value;
}

/** What keys caused, once the page is quiet. */
export async function keysResult() {
  return { ...(await waitIdle()), discarded: discardedWrite() };
}

/** @param {string} content @param {string} expected @param {Element} field */
export function matchesText(content, expected, field) {
  if (content === expected) return true;
  if (field instanceof HTMLInputElement && field.type === 'number') return content !== '' && Number(content) === Number(expected);
  if (field instanceof HTMLInputElement && SET_TYPES.has(field.type)) {
    return content !== '' && (content.startsWith(expected) || expected.startsWith(content) || Number(content) === Number(expected));
  }
  return normalizeText(content) === normalizeText(expected) && (normalizeText(expected) !== '' || content === '');
}
