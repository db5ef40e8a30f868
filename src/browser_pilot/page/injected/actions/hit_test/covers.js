// What covers a target: whether to wait for it to disappear, and how the error describes it.

import { normalizeText, parentOf } from '../../dom.js';
import { lastMutationAt } from '../../mutation_watch.js';
import { lastRef, refOf } from '../../refs.js';
import { accessibleName } from '../../snapshot/accname.js';
import { roleOf } from '../../snapshot/roles.js';
import { isVisible } from '../element_state.js';
import { describeElement } from '../failures.js';

/** @import { Failure } from '../failures.js' */

/** A cover stays if the page did nothing for this long. */
const REST_MS = 1_200;
const COVERING_DIALOG = 'dialog, [role=dialog], [role=alertdialog]';
const CLOSING_BUTTON = 'button, a[href], [role=button], input[type=button], input[type=submit]';
const CLOSING = /^[×✕✖⨯xX]$|\b(close|dismiss|accept|agree|allow|reject|decline|ok|okay|got it|no thanks|not now|skip|later|cancel|done)\b/i;
const MAX_BUTTONS = 50;

/** Decides for one target whether waiting on may still uncover it. */
export class CoverWatch {
  #failedAt = -1;

  /** Whether the page would leave the target as it is. @param {Failure} failure @param {Element} element the target */
  isFinal({ error, cover }, element) {
    if (error !== 'covered' && error !== 'outside') {
      this.#failedAt = -1;
      return false;
    }
    const now = performance.now();
    if (this.#failedAt < 0) this.#failedAt = now;
    return now - Math.max(this.#failedAt, lastMutationAt()) > REST_MS && document.readyState !== 'loading' && !isAnimating(cover ? wholeCover(cover, element) : null);
  }
}

/** Whether an animation will end, or goes on in the cover, as on a sign of loading. @param {Element | null} cover */
function isAnimating(cover) {
  return document.getAnimations().some(({ playState, effect }) => {
    if (playState !== 'running' || effect === null) return false;
    const target = effect instanceof KeyframeEffect ? effect.target : null;
    return effect.getComputedTiming().endTime !== Infinity || (target !== null && cover !== null && cover.contains(target));
  });
}

/**
 * A failure as it is reported, with the cover as a whole and the button that closes it.
 * @param {Failure} failure @param {Element} element the target @param {boolean} atRest whether the page does nothing any more
 */
export function coverReport({ cover, ...failure }, element, atRest = false) {
  if (failure.error !== 'covered' || !cover) return { ...failure, atRest };
  const whole = wholeCover(cover, element);
  const closing = [...whole.querySelectorAll(CLOSING_BUTTON)].slice(0, MAX_BUTTONS).find((button) => isVisible(button) && CLOSING.test(buttonText(button)));
  return {
    ...failure, atRest, by: describeWithRef(whole), ref: refTo(whole), closing: closing ? describeWithRef(closing) : '', lastRef: lastRef(),
  };
}

/** The dialog or the largest element around what was hit that is not also around the target. @param {Element} hit @param {Element} element */
function wholeCover(hit, element) {
  let whole = hit;
  for (let node = /** @type {Element | null} */ (hit); node && !isAround(node, element); node = parentOf(node)) {
    whole = node;
    if (node.matches(COVERING_DIALOG)) break;
  }
  return whole;
}

/** @param {Element} outer @param {Element} element */
function isAround(outer, element) {
  for (let node = /** @type {Element | null} */ (element); node; node = parentOf(node)) if (node === outer) return true;
  return false;
}

/** @param {Element} element */
function buttonText(element) {
  return accessibleName(element) || normalizeText(element.textContent ?? '') || (element instanceof HTMLInputElement ? element.value : '');
}

/** @param {Element} element */
function refTo(element) {
  return refOf(element, roleOf(element), buttonText(element).slice(0, 60));
}

/** @param {Element} element */
function describeWithRef(element) {
  refTo(element);
  return describeElement(element);
}
