// What an action sets off in this document: changes of the DOM, counted by frames, and navigations.
//
// This is put into a document while that is still on its way; all the rest follows when it is needed (see script.py).
// One watch at a time, from `startWatch` until it is read. Places that change all the time by themselves (a clock, a
// ticker) are known before the action and do not count.

/** @typedef {{ changes: number, places: Map<Node, number>, began: number, navigating: string | null, sameDocument: boolean,
 *   downloading: boolean, stopped: boolean }} Watch What was stopped was not what had been decided about. */

const MOST_FRAMES = 10;
const SHORTEST_LOOK_MS = 6;
const NO_FRAME_MS = 100;
const RESTLESS_CHANGES = 3;
const RESTLESS_MS = 1_000;

/** When each place last changed on its own, newest first. @type {WeakMap<Node, number[]>} */
const ownChanges = new WeakMap();
/** @type {Watch | null} */
let watch = null;

let observing = false;
let changes = 0;
let restlessAt = -Infinity;

// While a document is being read, all of it is a change.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', observe, { once: true });
else observe();
globalThis.navigation?.addEventListener('navigate', noteNavigation);

function observe() {
  if (observing) return;
  observing = true;
  new MutationObserver(noteChanges).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** @param {MutationRecord[]} records */
function noteChanges(records) {
  const now = performance.now();
  changes += records.length;
  const places = new Set(records.map((record) => record.target));
  for (const place of places) {
    if (watch !== null && !isRestless(place, watch.began)) {
      watch.changes++;
      watch.places.set(place, (watch.places.get(place) ?? 0) + 1);
    } else {
      ownChanges.set(place, [now, ...(ownChanges.get(place) ?? [])].slice(0, RESTLESS_CHANGES));
      if (isRestless(place, now)) restlessAt = now;
    }
  }
}

/** @param {Node} place @param {number} at */
function isRestless(place, at) {
  const times = ownChanges.get(place);
  return times?.length === RESTLESS_CHANGES && at - times[RESTLESS_CHANGES - 1] < RESTLESS_MS;
}

/** How often the document has changed, for whatever reason. */
function changeCount() {
  return changes;
}

/** Whether it was changing all the time when a watch began. @param {Watch} watched */
function changesByItself(watched) {
  return watched.began - restlessAt < RESTLESS_MS;
}

/** @param {NavigateEvent} event */
function noteNavigation(event) {
  if (watch === null) return;
  const noted = watch;
  if (event.downloadRequest !== null) {
    noted.downloading = true;
    return;
  }
  // Whether the page's own listeners take the navigation over is known only after all of them have run.
  queueMicrotask(() => {
    if (event.defaultPrevented) return;
    noted.navigating = event.destination.url;
    noted.sameDocument = event.destination.sameDocument;
  });
}

/** @returns {Watch} */
function startWatch() {
  observe();
  watch = { changes: 0, places: new Map(), began: performance.now(), navigating: null, sameDocument: false, downloading: false, stopped: false };
  return watch;
}

/** The next animation frame; a little later in a tab that draws none. @returns {Promise<void>} */
function nextFrame() {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, NO_FRAME_MS);
    requestAnimationFrame(() => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** After everything that is ready to run now. @returns {Promise<void>} */
function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Waits for a frame that brings no change, at most ten. @param {Watch} watched */
async function untilQuiet(watched) {
  await nextTask();
  let foresee = pilot.foresee;
  for (let frames = 0; frames < MOST_FRAMES; frames++) {
    const before = watched.changes;
    const began = performance.now();
    while (performance.now() - began < SHORTEST_LOOK_MS) {
      const frame = nextFrame();
      foresee?.(watched);
      foresee = null;
      await frame;
      await nextTask();
    }
    if (watched.changes === before) return true;
  }
  // What changed in most of ten frames goes on doing so: the next action need not wait for it.
  const now = performance.now();
  for (const [place, times] of watched.places) {
    if (times > MOST_FRAMES / 2) ownChanges.set(place, Array(RESTLESS_CHANGES).fill(now));
  }
  return false;
}

/** The same, but a page that has done nothing by the end of its tasks is taken to be quiet. @param {Watch} watched */
async function untilQuietOrUntouched(watched) {
  await nextTask();
  await nextTask();
  return watched.changes === 0 || untilQuiet(watched);
}

/** @param {Watch} watched */
function isWatching(watched) {
  return watch === watched;
}

/** @param {Watch} watched @param {boolean} quiet */
function report(watched, quiet) {
  if (watch === watched) watch = null;
  const { navigating, sameDocument, downloading, stopped } = watched;
  return { quiet, navigating, sameDocument, downloading, stopped };
}

pilot.watch = function beginWatch() {
  startWatch();
};

/** What became of the watch; without one (a new document) it watches from now on. */
pilot.settled = async function settled() {
  const watched = watch ?? startWatch();
  return report(watched, await untilQuiet(watched));
};

/** The same for a document that may still be on its way: first it must be there to be used. @param {number} patienceMs @param {number} limitMs @param {boolean} isNew */
pilot.usable = async function usable(patienceMs, limitMs, isNew) {
  const began = performance.now();
  const waited = () => performance.now() - began;
  // Past its patience, what can be read already will do; a page with nothing to read gets all the time there is.
  // The text is looked at only then: it costs a layout of all that is there.
  const hasPatience = () => waited() < patienceMs || (waited() < limitMs && !document.body?.innerText.trim());
  while (document.readyState === 'loading' && hasPatience()) {
    await new Promise((resolve) => {
      document.addEventListener('readystatechange', resolve, { once: true });
      setTimeout(resolve, NO_FRAME_MS);
    });
  }
  const watched = watch ?? startWatch();
  const quiet = await (isNew ? Promise.race([untilQuiet(watched), untilRested(watched)]) : untilQuiet(watched));
  return { ...report(watched, quiet), ...(window === top ? { title: document.title } : {}) };
};

/**
 * Waits until all is loaded, and what that set off is through: a round of tasks that changes nothing. Drawing the page may take
 * longer than all that went before.
 * @param {Watch} watched
 */
async function untilRested(watched) {
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
  for (let rounds = 0; rounds < MOST_FRAMES; rounds++) {
    const before = watched.changes;
    await nextTask();
    await new Promise((resolve) => setTimeout(resolve));
    await nextTask();
    if (watched.changes === before) return true;
  }
  return untilQuiet(watched);
}
