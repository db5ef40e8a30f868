// Waits for a text or for a state of an element; returns as soon as the condition is true.

import { comparableText, everyElement, focusedElement, normalizeText, shadowRootOf, startReading } from '../dom.js';
import { elementOf } from '../refs.js';
import { checkedState } from '../snapshot/states.js';
import { isDisabled, isVisible } from './element_state.js';
import { byText, matchAll } from './selector_engine.js';

/** @import { Selector } from './selector_engine.js' */

/** @typedef {{ text?: string, gone?: boolean, wanted?: Selector, state?: string }} Condition */

const POLL_MS = 100;
const MIN_PAUSE_MS = 4;
/** @type {Map<number, () => void>} */
const waits = new Map();

/** @param {Condition} condition */
function isTrue(condition) {
  if (condition.text !== undefined) {
    const present = hasText(condition.text);
    return condition.gone ? !present : present;
  }
  const { wanted: selector = {}, state = 'visible' } = condition;
  const found = selector.ref !== undefined ? [elementOf(selector.ref)].filter((element) => element !== null) : matchAll(selector);
  if (state === 'detached') return found.length === 0;
  if (state === 'hidden') return !found.some(isVisible);
  return found.some((element) => isInState(element, state));
}

/** @param {Element} element @param {string} state */
function isInState(element, state) {
  switch (state) {
    case 'attached': return true;
    case 'visible': return isVisible(element);
    case 'enabled': return isVisible(element) && !isDisabled(element);
    case 'disabled': return isDisabled(element);
    case 'focused': return focusedElement() === element;
    default: return checkedState(element) === state;
  }
}

/** Whether a text can be seen on the page. @param {string} text */
function hasText(text) {
  const sought = comparableText(normalizeText(text));
  // A cheap test first: most of the time the text is nowhere in the document.
  const plain = comparableText(normalizeText(document.body?.textContent ?? ''));
  if (!plain.includes(sought) && !anyShadowRootHas(sought) && !buttonHas(sought)) return false;
  startReading();
  return byText({ text }).length > 0;
}

/** @param {string} sought */
function anyShadowRootHas(sought) {
  for (const element of everyElement(document)) {
    const root = shadowRootOf(element);
    if (root && comparableText(normalizeText(root.textContent ?? '')).includes(sought)) return true;
  }
  return false;
}

/** @param {string} sought */
function buttonHas(sought) {
  const buttons = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[type=submit], input[type=button], input[type=reset]'));
  return [...buttons].some((button) => comparableText(normalizeText(button.value)).includes(sought));
}

/** @param {number} id @param {Condition} condition @param {number} timeoutMs @returns {Promise<boolean | { invalid: string }>} */
export function waitForCondition(id, condition, timeoutMs) {
  try {
    if (isTrue(condition)) return Promise.resolve(true);
  } catch (error) {
    return Promise.resolve({ invalid: error instanceof Error ? error.message : String(error) });
  }
  return new Promise((resolve) => {
    let pending = false;
    let pause = MIN_PAUSE_MS;
    let last = performance.now();
    /** @param {boolean} result */
    const end = (result) => {
      observer.disconnect();
      clearInterval(poll);
      clearTimeout(timeout);
      waits.delete(id);
      resolve(result);
    };
    const check = () => {
      pending = false;
      const startedAt = performance.now();
      if (isTrue(condition)) return end(true);
      // A check of a large page takes long: never more than a third of the page's time.
      pause = Math.max(MIN_PAUSE_MS, (performance.now() - startedAt) * 2);
      last = performance.now();
    };
    const checkSoon = () => {
      if (pending) return;
      const left = last + pause - performance.now();
      if (left <= 0) return check();
      pending = true;
      setTimeout(check, left);
    };
    const observer = new MutationObserver(checkSoon);
    const kinds = { subtree: true, childList: true, attributes: true, characterData: true };
    observer.observe(document, kinds);
    for (const element of everyElement(document)) {
      const root = shadowRootOf(element);
      if (root) observer.observe(root, kinds);
    }
    const poll = setInterval(checkSoon, POLL_MS);
    const timeout = setTimeout(() => end(false), timeoutMs);
    waits.set(id, () => end(false));
  });
}

/** @param {number} id */
export function cancelWait(id) {
  waits.get(id)?.();
}
