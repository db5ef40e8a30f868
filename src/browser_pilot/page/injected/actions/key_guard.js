// Makes sure that keys go to the element that was authorized: when it has changed, they are stopped.

import { focusedElement } from '../dom.js';
import { isCurrentWatch, startWatch } from '../mutation_watch.js';
import { elementOf } from '../refs.js';
import { waitActionable } from './actionability.js';
import { describeElement } from './failures.js';
import { fieldOf } from './field_kinds.js';
import { focusField } from './fields.js';
import { isSubmitButton } from './forms.js';
import { guardLink } from './link_guard.js';
import { guardSubmission } from './submission_guard.js';
import { hasChanged, refIn } from './target_facts.js';

/** @import { Watch } from '../mutation_watch.js' */
/** @import { Target } from './target_facts.js' */

const KEY_EVENTS = /** @type {const} */ (['keydown', 'keypress', 'keyup']);
const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta']);

/**
 * Begins a watch, and guards keys until it ends.
 * @param {Target} target @param {boolean} strict whether the target must not change after the key went down either
 */
function guardKeys(target, strict) {
  const watch = startWatch();
  if (typeof target === 'string') return;
  let down = false;
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    if (!isCurrentWatch(watch)) return remove();
    if (!event.isTrusted) return;
    const checks = !down || (strict && (event.type === 'keypress' || event.key === ' '));
    if (checks && !watch.stopped) {
      const resolved = elementOf(target.ref);
      watch.stopped = resolved === null || hasChanged(target, resolved) || !receivesKeys(resolved);
    }
    if (watch.stopped) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (checks && strict) guardForm(target.ref, event.key === 'Enter', watch);
    if (event.type === 'keydown' && !MODIFIERS.has(event.key)) down = true;
  };
  const remove = () => KEY_EVENTS.forEach((type) => removeEventListener(type, onKey, { capture: true }));
  for (const type of KEY_EVENTS) addEventListener(type, onKey, { capture: true });
}

/** A key may submit the form of its element, or open its link. @param {string} ref @param {boolean} isEnter @param {Watch} watch */
function guardForm(ref, isEnter, watch) {
  const resolved = elementOf(ref);
  if (!resolved) return;
  const stopped = () => (watch.stopped = true);
  const field = fieldOf(resolved) ?? resolved;
  guardSubmission(field, isEnter || isSubmitButton(field), watch, stopped);
  guardLink(resolved, stopped);
}

/** Whether keys go to an element, or to its field. @param {Element} resolved */
function receivesKeys(resolved) {
  const focused = focusedElement();
  const field = fieldOf(resolved) ?? resolved;
  return focused === field || focused === resolved || focused === null || focused === document.body || field.contains(focused);
}

/** Guards the keys of an element, unless it is no longer what was authorized. @param {Target} target @param {boolean} strict */
export function guardTarget(target, strict) {
  const resolved = elementOf(refIn(target));
  if (resolved === null || hasChanged(target, resolved)) return { error: 'changed' };
  guardKeys(target, strict);
  return {};
}

/** The same for an element that must still have the focus. @param {Target} target @param {boolean} strict */
export function guardFocused(target, strict) {
  return (focusedElement() ?? document.body) === elementOf(refIn(target)) ? guardTarget(target, strict) : { error: 'changed' };
}

/** The same for a further key, which must go to the element as the ones before it did. @param {Target} target @param {boolean} strict */
export function guardNextKey(target, strict) {
  const resolved = elementOf(refIn(target));
  return resolved !== null && receivesKeys(resolved) ? guardTarget(target, strict) : { error: 'changed' };
}

/** @param {string} ref */
export function takesText(ref) {
  const resolved = elementOf(ref);
  return resolved !== null && fieldOf(resolved) !== null;
}

/** Focuses any element, for keys to go to. @param {Target} target @param {boolean} strict @param {number} timeoutMs */
export async function focusTarget(target, strict, timeoutMs) {
  const found = await waitActionable(target, timeoutMs, { allowDisabled: true });
  if ('error' in found && found.error !== 'covered') return found;
  const resolved = /** @type {Element} */ (elementOf(refIn(target)));
  if (hasChanged(target, resolved)) return { error: 'changed' };
  focusField(fieldOf(resolved) ?? resolved);
  guardKeys(target, strict);
  return {};
}

/** What a key in a blocked frame would have gone to, or null. @type {string | null} */
let blockedKeyTarget = null;

/** @param {KeyboardEvent} event */
function blockKey(event) {
  if (!event.isTrusted) return;
  blockedKeyTarget ??= describeElement(focusedElement() ?? document.body);
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Stops every key in this frame until `unblockKeys`: one for another frame is on its way. */
export function blockKeys() {
  blockedKeyTarget = null;
  for (const type of KEY_EVENTS) addEventListener(type, blockKey, { capture: true });
}

/** What a key in a blocked frame would have gone to, or null. */
export function unblockKeys() {
  for (const type of KEY_EVENTS) removeEventListener(type, blockKey, { capture: true });
  return blockedKeyTarget;
}
