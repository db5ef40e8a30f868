// Makes sure that a click lands on its target: a press that would hit something else is stopped and reported.

import { report, startWatch, waitIdle, waitQuiet } from '../mutation_watch.js';
import { elementOf } from '../refs.js';
import { nextFrame, nextTask, severalFrames } from '../scheduling.js';
import { expectMouse, waitActionable } from './actionability.js';
import { describeElement } from './failures.js';
import { isSubmitButton } from './forms.js';
import { deepestAt, isFrame, reaches, topmostAt } from './hit_testing.js';
import { guardLink } from './link_guard.js';
import { guardSubmission } from './submission_guard.js';
import { actedOn, hasChanged, refIn } from './target_facts.js';

/** @import { Position } from './actionability.js' */
/** @import { Watch } from '../mutation_watch.js' */
/** @import { Target } from './target_facts.js' */

/** @typedef {{ element: Element, presses: number, landed: boolean, clicked: boolean, hit: string | null, released: Promise<void>,
 *   watch: Watch, unsent: boolean, remove: () => void }} Guard `hit` describes what a press hit instead of the element; then it is stopped.
 *   `unsent`: the page changed the form or the link during the click, so it was not sent. */

const GUARDED_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const DRAG_START_TIMEOUT_MS = 10_000;

/** In place of what a press hit: the element itself, but no longer as it was authorized. */
const CHANGED = 'changed';
const OTHER_FRAME = 'another frame';

/** Where the mouse was left, and over what: an element that is there now instead, such as a menu, has not received a mouse move yet.
 * @type {{ x: number, y: number, over: EventTarget | null } | null} */
let lastMouse = null;
/** @type {Guard | null} */
let guard = null;
let dragStarted = false;

/**
 * @param {Element} element @param {number} presses @param {() => string | null} objection why a press on the element is not allowed
 * @param {boolean} untilClick whether the objection is evaluated again at the click, and the form or the link is guarded: the page may change
 * them
 */
function startGuard(element, presses, objection, untilClick) {
  guard?.remove();
  const fresh = /** @type {Guard} */ ({ element, presses, landed: false, clicked: false, hit: null, unsent: false, watch: startWatch() });
  /** @type {() => void} */
  let end = () => {};
  fresh.released = new Promise((resolve) => (end = resolve));
  /** @param {Event} event */
  const onEvent = (event) => {
    if (!event.isTrusted || !(event instanceof MouseEvent)) return;
    if ((event.type === 'pointerdown' || event.type === 'mousedown') && !fresh.landed && fresh.hit === null) {
      const hit = hitBy(event, element);
      if (hit === element) {
        fresh.hit = objection();
        fresh.landed = fresh.hit === null;
      } else fresh.hit = hit === null ? 'nothing' : describeElement(hit);
    }
    if (event.type === 'click' && fresh.landed && !fresh.clicked) {
      fresh.clicked = true; // a label dispatches a second click to its field
      if (movedAway(event, fresh)) fresh.hit = describeElement(/** @type {Element} */ (event.target));
      else if (untilClick) fresh.hit = objection();
    }
    if (fresh.hit !== null) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (event.type === 'mouseup' && --fresh.presses <= 0) {
      lastMouse = { x: event.clientX, y: event.clientY, over: event.target };
      end();
    }
  };
  for (const type of GUARDED_EVENTS) addEventListener(type, onEvent, { capture: true });
  fresh.remove = () => {
    for (const type of GUARDED_EVENTS) removeEventListener(type, onEvent, { capture: true });
    if (guard === fresh) guard = null;
  };
  guard = fresh;
  if (!untilClick) return;
  // From now on: a listener of the page may keep the events of the click from this guard.
  const acted = actedOn(element);
  const stopped = () => (fresh.unsent = true);
  guardSubmission(acted, isSubmitButton(acted), fresh.watch, stopped);
  guardLink(acted, stopped);
}

/**
 * What a press hit: the element or another one. Where a page moves elements on mouse over, another element may be at the point by now
 * than the one that got the event.
 * @param {MouseEvent} event @param {Element} element
 */
function hitBy(event, element) {
  const [target] = event.composedPath();
  if (target instanceof Element && reaches(target, element)) return element;
  const inShadow = element.getRootNode() instanceof ShadowRoot;
  return target instanceof Element && !inShadow ? target : topmostAt(element, { x: event.clientX, y: event.clientY });
}

/**
 * Whether the button was released over another element than it was pressed on, though the page did nothing in between: then the
 * element has moved away from under the mouse.
 * @param {MouseEvent} event @param {Guard} guarded
 */
function movedAway(event, guarded) {
  return guarded.watch.mutations === 0 && guarded.element.isConnected && hitBy(event, guarded.element) !== guarded.element;
}

/**
 * Waits until the target can be clicked and guards it. Returns the point, and whether the mouse must move first (`moveFirst`).
 * @param {Target} target @param {Position | null} position @param {number} presses @param {boolean} strict whether the target must not
 * change between press and click either
 * @param {number} timeoutMs
 */
export async function prepareClick(target, position, presses, strict, timeoutMs) {
  const found = await waitActionable(target, timeoutMs, { position, refuseInner: true });
  if ('error' in found) return found;
  const hit = deepestAt(found.point);
  if (hit !== null && isFrame(hit)) return { error: 'frame there' };
  startGuard(found.element, presses, () => changeOf(target), strict);
  expectMouse();
  return { ...found.point, moveFirst: lastMouse !== null && document.elementFromPoint(lastMouse.x, lastMouse.y) !== lastMouse.over };
}

/** @param {Target} target */
function changeOf(target) {
  const resolved = elementOf(refIn(target));
  return resolved !== null && hasChanged(target, resolved) ? CHANGED : null;
}

/** Where the click landed, once the page is quiet. */
export async function clickResult() {
  const mine = guard;
  if (mine === null) return { ...(await waitIdle()), landed: 'unknown', by: null, unsent: false };
  await Promise.race([mine.released, severalFrames()]);
  // The click event follows the release of the button in the same task.
  await nextTask();
  mine.remove();
  const quiet = mine.hit !== null || mine.unsent || (await waitQuiet(mine.watch));
  return { ...report(mine.watch, quiet), unsent: mine.unsent, landed: mine.hit !== null ? 'no' : mine.landed ? 'yes' : 'unseen', by: mine.hit };
}

/** Stops every press in this frame until `unblockPresses`: a click for another frame is on its way. @param {number} presses */
export function blockPresses(presses) {
  startGuard(document.documentElement, presses, () => OTHER_FRAME, false);
}

/** What a press in a blocked frame hit, or null. */
export function unblockPresses() {
  const hit = guard?.hit ?? null;
  guard?.remove();
  return hit;
}

/**
 * The point at which a drag of the target starts. From the next press on, its guard stops a press on anything else, and it watches
 * whether a drag of the browser's own starts.
 * @param {Target} target @param {Position | null} position @param {number} timeoutMs
 */
export async function prepareDrag(target, position, timeoutMs) {
  const prepared = await prepareClick(target, position, 1, false, timeoutMs);
  if ('error' in prepared) return prepared;
  dragStarted = false;
  /** @param {Event} event */
  const onDragStart = (event) => {
    // Whether a listener of the page cancels it is known when all have run.
    setTimeout(() => (dragStarted = !event.defaultPrevented));
  };
  addEventListener('dragstart', onDragStart, { capture: true, once: true });
  setTimeout(() => removeEventListener('dragstart', onDragStart, { capture: true }), DRAG_START_TIMEOUT_MS);
  return prepared;
}

/** What the press hit in place of what is dragged, and whether a drag of the browser's own has started. */
export async function dragProgress() {
  await nextTask();
  await nextFrame();
  const stopped = guard?.hit ?? null;
  // The release of a stopped press is stopped too.
  if (stopped === null) endDrag();
  return { started: dragStarted, stopped };
}

export function endDrag() {
  guard?.remove();
}
