// Sees to it that a click lands where it was aimed: a press that would hit something else is stopped and told of.

/** @typedef {{ element: Element, presses: number, landed: boolean, clicked: boolean, by: string | null, ended: Promise<void>,
 *   watched: Watch, remove: () => void }} Guard */

const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];

/** Where the mouse was left, and on what: something else there now, such as a menu, has not seen it move yet. @type {{ x: number, y: number, on: EventTarget | null } | null} */
let rested = null;

/** In place of what a press hit: the element itself, but no longer as it was decided about. */
const CHANGED = 'changed';
const BARRED = 'another frame';

/** @type {Guard | null} */
let guard = null;

/**
 * @param {Element} element @param {number} presses @param {() => string | null} objection what speaks against a press that lands
 * @param {boolean} toTheEnd whether it may still speak against the click, after the press: the page may have answered to that one
 */
function startGuard(element, presses, objection, toTheEnd) {
  guard?.remove();
  const fresh = /** @type {Guard} */ ({ element, presses, landed: false, clicked: false, by: null, watched: startWatch() });
  /** @type {() => void} */
  let end = () => {};
  fresh.ended = new Promise((resolve) => (end = resolve));
  /** @param {Event} event */
  const see = (event) => {
    if (!event.isTrusted || !(event instanceof MouseEvent)) return;
    if ((event.type === 'pointerdown' || event.type === 'mousedown') && !fresh.landed && fresh.by === null) {
      const hit = hitBy(event, element);
      if (hit === element) {
        fresh.by = objection();
        fresh.landed = fresh.by === null;
      } else fresh.by = hit === null ? 'nothing' : inWords(hit);
    }
    if (event.type === 'click' && fresh.landed && !fresh.clicked) {
      fresh.clicked = true; // a label passes its click on to its field
      if (slippedAway(event, fresh)) fresh.by = inWords(/** @type {Element} */ (event.target));
      else if (toTheEnd) fresh.by = objection();
    }
    if (fresh.by !== null) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (event.type === 'mouseup' && --fresh.presses <= 0) {
      rested = { x: event.clientX, y: event.clientY, on: event.target };
      end();
    }
  };
  for (const type of GUARDED) addEventListener(type, see, { capture: true });
  fresh.remove = () => {
    for (const type of GUARDED) removeEventListener(type, see, { capture: true });
    if (guard === fresh) guard = null;
  };
  guard = fresh;
}

/**
 * What a press hit: the element or another. Where a page moves things as the mouse comes over them, what lies at the point by now may
 * be something else than what the press went to.
 * @param {MouseEvent} event @param {Element} element
 */
function hitBy(event, element) {
  const [target] = event.composedPath();
  if (target instanceof Element && reaches(target, element)) return element;
  const inShadow = element.getRootNode() instanceof ShadowRoot;
  return target instanceof Element && !inShadow ? target : topAt(element, { x: event.clientX, y: event.clientY });
}

/**
 * Whether the button was let go over something else than it was pressed on, though the page did nothing in between: then what was
 * pressed has moved away from under the mouse.
 * @param {MouseEvent} event @param {Guard} guarded
 */
function slippedAway(event, guarded) {
  return guarded.watched.changes === 0 && guarded.element.isConnected && hitBy(event, guarded.element) !== guarded.element;
}

/**
 * Takes aim for a click: the point, with a guard at it.
 * @param {Aimed} aimed @param {number[] | null} at @param {number} presses @param {boolean} strictly whether nothing at all may change
 * @param {number} patienceMs
 */
pilot.aim = async function aim(aimed, at, presses, strictly, patienceMs) {
  const found = await ready(aimed, patienceMs, { at, own: true });
  if ('trouble' in found) return found;
  startGuard(found.element, presses, () => {
    const named = elementOf(refIn(aimed));
    return named !== null && isBroken(aimed, named) ? CHANGED : null;
  }, strictly);
  expectMouse();
  return { ...found.spot, stir: rested !== null && document.elementFromPoint(rested.x, rested.y) !== rested.on };
};

/** What became of the click, once its consequences in the DOM are through. */
pilot.landed = async function landed() {
  const mine = guard;
  if (mine === null) return { ...(await pilot.settled()), landed: 'unknown', by: null };
  await Promise.race([mine.ended, severalFrames()]);
  // The click itself comes after the release of the button, in the same task.
  await nextTask();
  mine.remove();
  const quiet = mine.by !== null || (await untilQuiet(mine.watched));
  return { ...report(mine.watched, quiet), landed: mine.by !== null ? 'no' : mine.landed ? 'yes' : 'unseen', by: mine.by };
};

/**
 * Stops every press in this frame until it is taken away: a click is on its way that is meant for another one.
 * @param {number} presses
 */
pilot.bar = function bar(presses) {
  startGuard(document.documentElement, presses, () => BARRED, false);
};

/** What a press in a barred frame hit, or null; takes the bar away. */
pilot.unbar = function unbar() {
  const by = guard?.by ?? null;
  guard?.remove();
  return by;
};

/** As long as an event that was sent may take to arrive; some never do. */
async function severalFrames() {
  for (let frames = 0; frames < MOST_FRAMES; frames++) await nextFrame();
}

let dragBegan = false;

/** Watches, from the next press on, whether the page lets the browser begin a drag. */
pilot.watchDrag = function watchDrag() {
  startWatch();
  dragBegan = false;
  /** @param {Event} event */
  const see = (event) => {
    // Whether a listener of the page forbids it is known when all have run.
    setTimeout(() => (dragBegan = !event.defaultPrevented));
  };
  addEventListener('dragstart', see, { capture: true, once: true });
  setTimeout(() => removeEventListener('dragstart', see, { capture: true }), 10_000);
};

pilot.dragBegan = async () => {
  await nextTask();
  await nextFrame();
  return { began: dragBegan };
};
