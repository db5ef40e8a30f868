// Lists of options that a page draws itself: comboboxes, list boxes and select buttons of ARIA, wherever their list is rendered.

import { comparableText, normalizeText, parentOf, referenced, startReading, truncate } from '../dom.js';
import { elementOf, lastRef, refOf } from '../refs.js';
import { nextFrame } from '../scheduling.js';
import { accessibleName } from '../snapshot/accname.js';
import { cancellation } from './cancellation.js';
import { isDisabled, isVisible } from './element_state.js';
import { goneFailure } from './failures.js';
import { fieldContent, fieldKind, fieldOf } from './field_kinds.js';
import { hasChanged, refIn } from './target_facts.js';

/** @import { Target } from './target_facts.js' */

/** The part of a page that opens a list, and the text field in it that filters the options, if it has one.
 * @typedef {{ control: Element, input: HTMLInputElement | HTMLTextAreaElement | null }} ListControl */

const CONTROL = '[role=combobox], [role=listbox], [aria-haspopup=listbox], [aria-haspopup=tree], [aria-autocomplete=list], [aria-autocomplete=both]';
// Some libraries give roles only to a hidden copy of the options.
const OPTION = '[role=option], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem], [aria-selected]:not([role])';
const POPUP = '[role=listbox], [role=menu], [role=tree], [role=grid], [role=dialog]';
const SEARCH = '[type=search], [role=searchbox], search *, [role=search] *';
const MAX_LISTED = 30;
const MAX_SCROLLS = 500;
const MAX_OPTIONS = 5_000;
const MAX_AROUND = 4;
const FRAMES_PER_SCROLL = 3;

/** The list that an element opens, is, or wraps; null for any other element, and for a search field. @param {Element} resolved @returns {ListControl | null} */
export function listControl(resolved) {
  const labelled = resolved instanceof HTMLLabelElement ? resolved.control : null;
  const start = labelled ?? resolved;
  const inside = [...start.querySelectorAll(CONTROL)];
  const control = start.matches(CONTROL) ? start : inside.length === 1 ? inside[0] : start.closest('[role=combobox]');
  if (!control || control instanceof HTMLSelectElement || isSearchField(control)) return null;
  const field = control.matches('input, textarea') ? control : control.querySelector('input:not([type=hidden]), textarea');
  const input = /** @type {HTMLInputElement | null} */ (field && fieldKind(field) === 'text' ? field : null);
  return { control, input: input && !input.readOnly ? input : null };
}

/** A field whose list holds suggestions for a text, which it takes as it is. @param {Element} control */
function isSearchField(control) {
  return control.matches(SEARCH) && control.getAttribute('aria-haspopup') !== 'listbox';
}

/** Whether an element stands for a list that the page draws itself. @param {Element} resolved */
export function isCustomList(resolved) {
  return !(fieldOf(resolved) instanceof HTMLSelectElement) && listControl(resolved) !== null;
}

/** The visible options of the list that a control has opened. @param {ListControl} list */
function visibleOptions({ control, input }) {
  startReading();
  const owners = [control, ...(input ? [input] : [])];
  const lists = owners.flatMap((owner) => [...referenced(owner, 'aria-controls'), ...referenced(owner, 'aria-owns')]);
  const active = owners.flatMap((owner) => referenced(owner, 'aria-activedescendant'));
  if (control.matches('[role=listbox]')) lists.push(control);
  for (const option of active) lists.push(option.closest(POPUP) ?? option.parentElement ?? option);
  for (const one of lists) {
    const found = optionsAround(one);
    if (found.length) return found;
  }
  if (lists.length && owners.some((owner) => owner.getAttribute('aria-expanded') === 'false')) return [];
  // The list is not named: then it is the one popup outside of the control that shows options.
  const popups = [...document.querySelectorAll(POPUP)].filter((popup) => !popup.contains(control) && isVisible(popup));
  const shown = popups.map((popup) => shownOptions(popup)).filter((options) => options.length > 0);
  return shown.length === 1 ? shown[0] : optionsBeside(control);
}

/** The options in an element, or in the popup around it where it is but a hidden copy. @param {Element} list */
function optionsAround(list) {
  for (let node = /** @type {Element | null} */ (list), depth = 0; node && node !== document.body && depth <= MAX_AROUND; node = parentOf(node), depth++) {
    const found = shownOptions(node);
    if (found.length) return found;
  }
  return [];
}

/** @param {Element} control */
function optionsBeside(control) {
  for (let node = parentOf(control), depth = 0; node && node !== document.body && depth < MAX_AROUND; node = parentOf(node), depth++) {
    const found = shownOptions(node);
    if (found.length) return found;
  }
  return [];
}

/** @param {Element} scope */
function shownOptions(scope) {
  const found = [...scope.querySelectorAll(OPTION)].slice(0, MAX_OPTIONS);
  return found.filter((option) => isVisible(option) && !option.closest('[aria-hidden=true]') && !isInEmptyBox(option));
}

/** Whether an ancestor without any size clips an option away: a copy for screen readers. @param {Element} option */
function isInEmptyBox(option) {
  for (let node = parentOf(option), depth = 0; node && node !== document.body && depth <= MAX_AROUND; node = parentOf(node), depth++) {
    const { display, overflowX, overflowY } = getComputedStyle(node);
    if (display === 'contents' || display === 'inline') continue;
    if ((node.clientHeight === 0 && overflowY !== 'visible') || (node.clientWidth === 0 && overflowX !== 'visible')) return true;
  }
  return false;
}

/** @param {Element} option */
function labelOf(option) {
  const text = option instanceof HTMLElement ? option.innerText : option.textContent ?? '';
  return normalizeText(text) || accessibleName(option, 'option');
}

/** The option with this label. What is authorized is the label, so it is neither guessed nor a hidden value. @param {Element[]} options @param {string} wanted */
function optionLabelled(options, wanted) {
  const sought = comparableText(normalizeText(wanted));
  const named = options.filter((option) => comparableText(labelOf(option)) === sought);
  return named.find((option) => !isDisabled(option)) ?? named[0] ?? null;
}

/** @param {Element} option */
function isChosen(option) {
  return option.getAttribute('aria-checked') === 'true' || (option.getAttribute('aria-selected') === 'true' && !onlyHighlighted(option));
}

/** Some libraries mark the highlighted option as the selected one. @param {Element} option */
function onlyHighlighted(option) {
  return document.querySelector(`[aria-activedescendant="${CSS.escape(option.id)}"]`) !== null && option.id !== '';
}

/**
 * @param {ListControl} list @param {string} wanted @param {Element[]} options
 */
function describeState(list, wanted, options) {
  const option = optionLabelled(options, wanted);
  const labels = options.map(labelOf).filter(Boolean);
  const more = labels.length > MAX_LISTED ? `, and ${labels.length - MAX_LISTED} more` : '';
  const shown = {
    open: options.length > 0,
    editable: list.input !== null,
    labels: labels.slice(0, MAX_LISTED).map((label) => `"${truncate(label, 80)}"`).join(', ') + more,
  };
  if (option === null) return { ...shown, option: null };
  return { ...shown, option: refOf(option, 'option', labelOf(option)), chosen: isChosen(option), disabled: isDisabled(option), lastRef: lastRef() };
}

/**
 * Waits until the list shows the wanted option, or for a time in which it shows others.
 * @param {Target} target @param {string} wanted @param {number} timeoutMs how long the list may take to show any option
 * @param {number} settleMs how long others may be replaced
 */
export async function findListOption(target, wanted, timeoutMs, settleMs) {
  const resolved = elementOf(refIn(target));
  if (resolved === null) return goneFailure(refIn(target));
  if (hasChanged(target, resolved)) return { error: 'changed' };
  const list = listControl(resolved);
  if (list === null) return { error: 'no select' };
  const isCancelled = cancellation();
  const startedAt = performance.now();
  for (;;) {
    const options = visibleOptions(list);
    const now = performance.now();
    const over = now >= startedAt + (options.length ? settleMs : timeoutMs);
    if (optionLabelled(options, wanted) !== null || over || isCancelled()) return describeState(list, wanted, options);
    await nextFrame();
  }
}

/**
 * Scrolls an open list from its beginning to its end until it shows the wanted option.
 * @param {Target} target @param {string} wanted @param {number} timeoutMs
 */
export async function scrollListTo(target, wanted, timeoutMs) {
  const resolved = elementOf(refIn(target));
  const list = resolved && listControl(resolved);
  if (!list) return { error: 'no select' };
  const isCancelled = cancellation();
  const deadline = performance.now() + timeoutMs;
  const scroller = scrollerOf(visibleOptions(list)[0] ?? null);
  if (scroller) scroller.scrollTop = 0;
  /** @type {Element[]} */
  let options = [];
  for (let scrolls = 0; scroller && scrolls < MAX_SCROLLS && performance.now() < deadline && !isCancelled(); scrolls++) {
    for (let frame = 0; frame < FRAMES_PER_SCROLL; frame++) await nextFrame();
    options = visibleOptions(list);
    if (optionLabelled(options, wanted) !== null) break;
    const before = scroller.scrollTop;
    scroller.scrollTop += Math.max(scroller.clientHeight - 20, 20);
    if (scroller.scrollTop === before) break;
  }
  return describeState(list, wanted, options.length ? options : visibleOptions(list));
}

/** @param {Element | null} option */
function scrollerOf(option) {
  for (let node = option && parentOf(option); node && node !== document.body; node = parentOf(node)) {
    if (node.scrollHeight > node.clientHeight + 1 && /auto|scroll|hidden/.test(getComputedStyle(node).overflowY)) return node;
  }
  return null;
}

/** Focuses the field of a list and selects what it holds, to be replaced. @param {Target} target */
export function focusListInput(target) {
  const resolved = elementOf(refIn(target));
  if (resolved === null || hasChanged(target, resolved)) return { error: 'changed' };
  const input = listControl(resolved)?.input;
  if (!input) return { error: 'no field' };
  input.focus({ preventScroll: true });
  input.select();
  return {};
}

/** Whether the control shows a label now, in a field, a tag or its text. @param {string} ref @param {string} wanted */
export function listShows(ref, wanted) {
  const resolved = elementOf(ref);
  const list = resolved && listControl(resolved);
  if (!list) return { shows: null };
  const sought = comparableText(normalizeText(wanted));
  for (let node = /** @type {Element | null} */ (list.control), depth = 0; node && node !== document.body && depth <= MAX_AROUND; node = parentOf(node), depth++) {
    const fields = [node, ...node.querySelectorAll('input, select, textarea')];
    const texts = [node instanceof HTMLElement ? node.innerText : '', ...fields.map((field) => (fieldKind(field) ? fieldContent(field) : ''))];
    if (texts.some((text) => comparableText(normalizeText(text)).includes(sought))) return { shows: true };
  }
  return { shows: false };
}
