// Sees to it that a click lands where it was aimed: a press that would hit something else is stopped and told of.

/** @typedef {{ element: Element, presses: number, landed: boolean, by: string | null, ended: Promise<void>,
 *   watched: Watch, remove: () => void }} Guard */

const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];

/** In place of what a press hit: the element itself, but no longer as it was decided about. */
const CHANGED = 'changed';
const BARRED = 'another frame';

/** @type {Guard | null} */
let guard = null;

/** @param {Element} element @param {number} presses @param {() => string | null} objection what speaks against a press that lands */
function startGuard(element, presses, objection) {
  guard?.remove();
  const fresh = /** @type {Guard} */ ({ element, presses, landed: false, by: null, watched: startWatch() });
  /** @type {() => void} */
  let end = () => {};
  fresh.ended = new Promise((resolve) => (end = resolve));
  /** @param {Event} event */
  const see = (event) => {
    if (!event.isTrusted || !(event instanceof MouseEvent)) return;
    if ((event.type === 'pointerdown' || event.type === 'mousedown') && !fresh.landed && fresh.by === null) {
      const hit = topAt(element, { x: event.clientX, y: event.clientY });
      if (hit === element) {
        fresh.by = objection();
        fresh.landed = fresh.by === null;
      } else fresh.by = hit === null ? 'nothing' : inWords(hit);
    }
    if (fresh.by !== null) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (event.type === 'mouseup' && --fresh.presses <= 0) end();
  };
  for (const type of GUARDED) addEventListener(type, see, { capture: true });
  fresh.remove = () => {
    for (const type of GUARDED) removeEventListener(type, see, { capture: true });
    if (guard === fresh) guard = null;
  };
  guard = fresh;
}

/**
 * Takes aim for a click: the point, with a guard at it.
 * @param {Aimed} aimed @param {number} presses @param {number} patienceMs
 */
pilot.aim = async function aim(aimed, presses, patienceMs) {
  const found = await ready(aimed, patienceMs);
  if ('trouble' in found) return found;
  startGuard(found.element, presses, () => {
    const named = elementOf(refIn(aimed));
    return named !== null && isBroken(aimed, named) ? CHANGED : null;
  });
  return found.spot;
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
  startGuard(document.documentElement, presses, () => BARRED);
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
