// Waits until an element can be acted on, and at which point: visible, enabled, in the viewport, stable, and not covered.

import { frameElementOf } from '../cdp_facts.js';
import { parentOf } from '../dom.js';
import { outerPoint } from '../geometry.js';
import { elementOf } from '../refs.js';
import { nextFrame, severalFrames } from '../scheduling.js';
import { cancellation } from './cancellation.js';
import { coverReport, CoverWatch } from './hit_test/covers.js';
import { elementOrLabel, isDisabled, isVisible } from './element_state.js';
import { goneFailure } from './failures.js';
import { clickablePoint, hitFailure, pointAtOffset, pointIfStillThere, topmostAt } from './hit_testing.js';
import { hasChanged, refIn } from './target_facts.js';

/** @import { Point } from '../geometry.js' */
/** @import { Failure } from './failures.js' */
/** @import { Target } from './target_facts.js' */

/** Where in an element: pixels from its upper left corner, or the point of the viewport at which it was found. @typedef {number[] | Point} Position */

const ALIGNMENTS = /** @type {ScrollLogicalPosition[]} */ (['center', 'end', 'start', 'nearest']);
const TRIES_PER_ALIGNMENT = 6;
/** Errors that waiting does not change. */
const FINAL_FAILURES = new Set(['outside element', 'inner', 'elsewhere']);
const MAX_MOVING_TRIES = 20;

/** Resolves once the mouse moves in this frame. @type {Promise<boolean>} */
let mouseMoved = Promise.resolve(false);

/** @param {Element} element */
function isAnimated(element) {
  return document.getAnimations().some(({ playState, effect }) => {
    const target = effect instanceof KeyframeEffect ? effect.target : null;
    return playState === 'running' && target !== null && (target === element || target.contains(element));
  });
}

/** @param {Element} element @param {number} tries the number of tries before @param {Position | null} position */
function scrollToTarget(element, tries, position) {
  const rect = element.getBoundingClientRect();
  if (Array.isArray(position)) return scrollToPoint(element, { x: rect.left + position[0], y: rect.top + position[1] });
  const block = ALIGNMENTS[(tries / TRIES_PER_ALIGNMENT) % ALIGNMENTS.length];
  element.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
}

/**
 * @param {Element} element @param {number} tries the number of tries before @param {Position | null} position @param {boolean} refuseInner
 * @returns {Promise<Point | Failure>}
 */
async function stablePoint(element, tries, position, refuseInner) {
  const findPoint = () => {
    if (position === null) return clickablePoint(element);
    return Array.isArray(position) ? pointAtOffset(element, position, refuseInner) : pointIfStillThere(element, position);
  };
  let point = findPoint();
  let scrolled = false;
  if ('error' in point && !FINAL_FAILURES.has(point.error) && tries % TRIES_PER_ALIGNMENT === 0) {
    scrollToTarget(element, tries, position);
    scrolled = true;
    point = findPoint();
  }
  if ('error' in point || !(scrolled || isAnimated(element))) return point;
  const before = element.getBoundingClientRect();
  await nextFrame();
  const after = element.getBoundingClientRect();
  const moved = Math.abs(before.left - after.left) + Math.abs(before.top - after.top) > 1;
  return moved && tries < MAX_MOVING_TRIES ? { error: 'moving' } : findPoint();
}

/**
 * Waits until an element can be acted on. Returns the element or its label, and the point; the caller may choose a position in the element.
 * `refuseInner`: the point must not belong to an interactive element inside.
 * @param {Target} target @param {number} timeoutMs @param {{ allowDisabled?: boolean, position?: Position | null, refuseInner?: boolean }} [options]
 * @returns {Promise<{ element: Element, point: Point } | Failure>}
 */
export async function waitActionable(target, timeoutMs, options = {}) {
  const ref = refIn(target);
  const deadline = performance.now() + timeoutMs;
  const isCancelled = cancellation();
  const covers = new CoverWatch();
  for (let tries = 0; ; tries++) {
    const resolved = elementOf(ref);
    if (resolved === null) return goneFailure(ref);
    if (resolved instanceof HTMLOptionElement && !(/** @type {HTMLSelectElement | null} */ (resolved.closest('select'))?.size)) return { error: 'option' };
    const element = options.position ? resolved : elementOrLabel(resolved);
    /** @type {Point | Failure} */
    let point;
    if (!isVisible(element)) point = { error: 'hidden' };
    else if (!options.allowDisabled && isDisabled(resolved)) point = { error: 'disabled' };
    else point = await stablePoint(element, tries, options.position ?? null, options.refuseInner === true);
    if (!('error' in point)) return hasChanged(target, resolved) ? { error: 'changed' } : { element, point };
    const atRest = covers.isFinal(point, element);
    if (atRest || FINAL_FAILURES.has(point.error) || performance.now() >= deadline || isCancelled()) return coverReport(point, element, atRest);
    await nextFrame();
  }
}

/** Where to move the mouse for an element that is not clicked. @param {Target} target @param {Position | null} position @param {number} timeoutMs */
export async function hoverPoint(target, position, timeoutMs) {
  const found = await waitActionable(target, timeoutMs, { allowDisabled: true, position });
  if ('error' in found) return found;
  expectMouse();
  return found.point;
}

/** Begins to watch for a mouse move in this frame. */
export function expectMouse() {
  mouseMoved = new Promise((resolve) => {
    /** @param {Event} event */
    const onMove = (event) => {
      if (!event.isTrusted) return;
      removeEventListener('pointermove', onMove, { capture: true });
      resolve(true);
    };
    addEventListener('pointermove', onMove, { capture: true });
  });
}

/** Whether the mouse has arrived in this frame: the browser routes it by where the frames were last drawn, which may be out of date. */
export async function mouseArrived() {
  return { arrived: await Promise.race([mouseMoved, severalFrames().then(() => false)]) };
}

/**
 * A point of a child frame as a point of this one, once the frame is uncovered there and stable: scrolling a frame into view scrolls
 * its ancestors a little later, and clicks are routed by where a frame was last drawn.
 * @param {number} number @param {Point} inner @param {number} timeoutMs
 */
export async function pointThroughFrame(number, inner, timeoutMs) {
  /** @type {Point | null} */
  let before = null;
  const deadline = performance.now() + timeoutMs;
  const isCancelled = cancellation();
  const covers = new CoverWatch();
  for (let tries = 0; ; tries++) {
    const element = frameElementOf(number);
    if (!element) return { error: 'gone', by: 'the frame that it is in' };
    const point = outerPoint(element, inner);
    const hit = topmostAt(element, point);
    const stable = before !== null && Math.abs(before.x - point.x) + Math.abs(before.y - point.y) < 1;
    const atRest = hit !== element && covers.isFinal(hitFailure(hit), element);
    const over = atRest || performance.now() >= deadline || isCancelled();
    if (hit === element && (stable || over)) return point;
    before = hit === element ? point : null;
    if (over) return coverReport(hitFailure(hit), element, atRest);
    if (hit !== element && tries % TRIES_PER_ALIGNMENT === 0) scrollToPoint(element, point);
    await nextFrame();
  }
}

/** Scrolls the ancestors of an element until a point in it is near the middle of the viewport. @param {Element} element @param {Point} point */
function scrollToPoint(element, point) {
  for (let node = parentOf(element); node; node = parentOf(node)) {
    const box = node.getBoundingClientRect();
    const before = node.scrollTop;
    node.scrollTop += point.y - (node === document.scrollingElement ? innerHeight / 2 : box.top + node.clientHeight / 2);
    point = { x: point.x, y: point.y - (node.scrollTop - before) };
    const beforeLeft = node.scrollLeft;
    node.scrollLeft += point.x - (node === document.scrollingElement ? innerWidth / 2 : box.left + node.clientWidth / 2);
    point = { x: point.x - (node.scrollLeft - beforeLeft), y: point.y };
  }
}
