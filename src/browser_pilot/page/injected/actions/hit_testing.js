// Where a click would reach an element, and what else it would hit.

import { frameNumberOf } from '../cdp_facts.js';
import { parentOf, shadowRootOf } from '../dom.js';
import { rectsOf } from '../geometry.js';
import { isClickable } from '../snapshot/clickable.js';
import { INTERACTIVE } from './element_state.js';
import { describeElement } from './failures.js';
import { isSameControl } from './hit_test/same_control.js';

/** @import { Point } from '../geometry.js' */
/** @import { Failure } from './failures.js' */

const MAX_RECTS = 4;
/** Parts of a rectangle to try when its middle is covered. */
const TRIED_POINTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [0.9, 0.1]];

/** Whether a click that hits one element reaches another. @param {Element} hit @param {Element} wanted */
export function reaches(hit, wanted) {
  for (let node = /** @type {Element | null} */ (hit); node; node = parentOf(node)) if (node === wanted) return true;
  const label = hit.closest('label');
  if (label !== null && label.control === wanted) return true;
  for (const slot of wanted.querySelectorAll('slot')) {
    if (slot.assignedElements({ flatten: true }).some((assigned) => assigned.contains(hit))) return true;
  }
  // Drawings inside a button often let clicks through to the button.
  if (!wanted.matches(INTERACTIVE) && wanted.parentElement?.closest(INTERACTIVE) === hit) return true;
  return isSameControl(hit, wanted);
}

/** The topmost element at a point: the wanted element, if a click there reaches it, or another one. @param {Element} element @param {Point} point */
export function topmostAt(element, { x, y }) {
  /** @type {(Document | ShadowRoot)[]} */
  const scopes = [];
  for (let scope = element.getRootNode(); scope instanceof ShadowRoot; scope = scope.host.getRootNode()) scopes.unshift(scope);
  let hit = document.elementFromPoint(x, y);
  if (hit === null || !reaches(hit, /** @type {ShadowRoot} */ (scopes[0])?.host ?? element)) return hit;
  for (const [index, scope] of scopes.entries()) {
    hit = scope.elementFromPoint(x, y) ?? hit;
    if (!reaches(hit, /** @type {ShadowRoot} */ (scopes[index + 1])?.host ?? element)) return hit;
  }
  return element;
}

/** A point in the viewport where a click reaches the element. @param {Element} element @returns {Point | Failure} */
export function clickablePoint(element) {
  /** @type {Element | null} */
  let cover = null;
  /** @type {Point | null} */
  let onInnerElement = null;
  for (const rect of rectsOf(element).slice(0, MAX_RECTS)) {
    const [left, right] = [Math.max(rect.left, 0), Math.min(rect.right, innerWidth)];
    const [top, bottom] = [Math.max(rect.top, 0), Math.min(rect.bottom, innerHeight)];
    if (right <= left || bottom <= top) continue;
    for (const [across, down] of TRIED_POINTS) {
      const point = { x: left + (right - left) * across, y: top + (bottom - top) * down };
      const hit = topmostAt(element, point);
      if (hit !== element) {
        cover ??= hit;
        continue;
      }
      const inner = document.elementFromPoint(point.x, point.y)?.closest(INTERACTIVE);
      if (!inner || inner === element || !element.contains(inner)) return point;
      onInnerElement ??= point;
    }
  }
  return onInnerElement ?? hitFailure(cover);
}

/**
 * The point at an offset, if a click there reaches the element.
 * @param {Element} element @param {number[]} offset @param {boolean} refuseInner whether the point must not belong to an interactive element inside
 * @returns {Point | Failure}
 */
export function pointAtOffset(element, [right, down], refuseInner) {
  const rect = element.getBoundingClientRect();
  if (right > rect.width || down > rect.height) return { error: 'outside element', by: `${Math.floor(rect.width)} × ${Math.floor(rect.height)}` };
  const point = { x: rect.left + right, y: rect.top + down };
  const hit = topmostAt(element, point);
  if (hit !== element) return hitFailure(hit);
  const inner = refuseInner ? interactiveInside(element, point) : null;
  return inner === null ? point : { error: 'inner', by: describeElement(inner) };
}

/** @param {Element | null} hit what a click would hit in place of the element @returns {Failure} */
export function hitFailure(hit) {
  return hit === null ? { error: 'outside' } : { error: 'covered', cover: hit };
}

/**
 * The point, if the element is what is there now, and no interactive element inside it.
 * @param {Element} element @param {Point} point @returns {Point | Failure}
 */
export function pointIfStillThere(element, point) {
  return topmostAt(element, point) === element && interactiveInside(element, point) === null ? point : { error: 'elsewhere' };
}

/** The innermost element at a point, also in shadow roots. @param {Point} point */
export function deepestAt({ x, y }) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && shadowRootOf(hit); root; root = hit && shadowRootOf(hit)) {
    const deeper = root.elementFromPoint(x, y);
    if (deeper === null || deeper === hit) break;
    hit = deeper;
  }
  return hit;
}

/** The nearest interactive element around another one, itself included, below `end`. @param {Element} element @param {Element | null} end */
export function nearestInteractive(element, end) {
  for (let node = /** @type {Element | null} */ (element); node && node !== end; node = parentOf(node)) {
    if (node.matches(INTERACTIVE) || isClickable(node)) return node;
  }
  return null;
}

/** Whether an element shows another document, whose elements this one cannot see. @param {Element} element */
export function isFrame(element) {
  return element.localName === 'iframe' || element.localName === 'frame' || frameNumberOf(element) !== undefined;
}

/**
 * An interactive element at a point of another one. It must be targeted itself, because an action is authorized for the element that
 * was targeted.
 * @param {Element} element @param {Point} point
 */
function interactiveInside(element, point) {
  const hit = deepestAt(point);
  return hit && nearestInteractive(hit, element);
}
