// Reads the page ahead, while an action waits for a frame that brings no change: whoever acts looks next, and the page has nothing
// else to do then. What was read ahead is told only if nothing it depends on has changed since; else the page is read as ever.

/** How the page was last looked at as a whole, and how long that took. @type {{ wish: string, tookMs: number } | null} */
let lastLook = null;
/** @type {{ wish: string, reading: Reading, state: string, focus: Element | null, at: number } | null} */
let foresight = null;

// What takes longer may be in somebody's way, and is done only if it is asked for.
const LONGEST_FORESIGHT_MS = 150;
// Whoever looks later than this looks for another reason, and what nothing tells of may be otherwise by then.
const GOOD_FOR_MS = 500;
const MOST_COMPARED = 500;

/** @param {Watch} watched */
pilot.foresee = function foresee(watched) {
  foresight = null;
  if (lastLook === null || lastLook.tookMs > LONGEST_FORESIGHT_MS || watched.navigating || watched.downloading) return;
  const state = changesByItself(watched) ? null : stateBesidesNodes();
  if (state === null) return;
  const { wish } = lastLook;
  try {
    foresight = { wish, state, focus: focusedElement(), at: performance.now(), reading: readPage(JSON.parse(wish)) };
  } catch {
    // Whoever looks finds out; the action that is waited for is none the worse for it.
  }
};

/** What was read ahead, if it is what is asked for and still so. @param {WalkOptions} settings @returns {Reading | null} */
function foreseen(settings) {
  const ahead = foresight;
  foresight = null;
  if (ahead === null || ahead.wish !== wishOf(settings) || performance.now() - ahead.at > GOOD_FOR_MS) return null;
  if (ahead.focus !== focusedElement()) return null;
  return ahead.state === stateBesidesNodes() ? ahead.reading : null;
}

/** @param {WalkOptions} settings @returns {Reading} */
function readNow(settings) {
  const began = performance.now();
  const reading = readPage(settings);
  lastLook = settings.root || settings.start ? null : { wish: wishOf(settings), tookMs: performance.now() - began };
  return reading;
}

/** @param {WalkOptions} settings */
function wishOf(settings) {
  return JSON.stringify({ ...settings, known: undefined });
}

/**
 * What a reading depends on besides the nodes and attributes of the document, together with how often those have changed; null when
 * that cannot be known: changes in shadow roots are nobody's to see, what is in motion is something else in each frame, and a page
 * may name its elements so that the document's own words mean those (`<form name=styleSheets>`).
 */
function stateBesidesNodes() {
  try {
    return metRoots || document.getAnimations().length ? null : JSON.stringify([changeCount(), discoveries, ...looseState()]);
  } catch {
    return null;
  }
}

function looseState() {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input, select, textarea'));
  if (fields.length > MOST_COMPARED) throw new RangeError('too many fields');
  const values = Array.from(fields, (field) => [field.value, field.checked, field.indeterminate, field.matches(':user-invalid')]);
  const chosen = Array.from(document.querySelectorAll('select[multiple]'), (select) => select.querySelectorAll(':checked').length);
  const sheets = [...document.styleSheets, ...document.adoptedStyleSheets].map((sheet) => (sheet.disabled ? 'off' : rulesOf(sheet)));
  const open = document.querySelectorAll(':popover-open, :modal').length;
  return [values, chosen, sheets, open, innerWidth, innerHeight, scrollX, scrollY];
}

/** @param {CSSStyleSheet} sheet */
function rulesOf(sheet) {
  try {
    return sheet.cssRules.length;
  } catch {
    return 'of another site'; // which no script of the page can change either
  }
}
