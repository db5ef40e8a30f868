// Whether an element can be acted on, and at which point: shown, enabled, in view, still, and not covered.

/** @typedef {{ x: number, y: number }} Spot */
/** @typedef {{ trouble: string, by?: string }} Trouble */

const INTERACTIVE =
  'a[href], button, input, select, textarea, label, summary, option, [onclick], [tabindex], [contenteditable], [role=button], '
  + '[role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=menuitem], [role=option]';
const ALIGNMENTS = /** @type {ScrollLogicalPosition[]} */ (['center', 'end', 'start', 'nearest']);
const TRIES_PER_ALIGNMENT = 6;
/** What waiting does not change. */
const FINAL_TROUBLES = new Set(['beyond', 'inner']);
const MOVING_TRIES = 20;
/** Parts of a rectangle to try when its middle is covered. */
const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [0.9, 0.1]];

/** A number that grows when whoever waits should give up. */
let abandoned = 0;
pilot.abandon = () => abandoned++;

/** @param {string} ref */
function goneTrouble(ref) {
  const entry = entries.get(ref);
  return { trouble: 'gone', by: entry ? `${entry.role}${entry.name ? ` "${shorten(entry.name, 60)}"` : ''}` : '' };
}

/** An element in few words, with its ref if it has one. @param {Element} element */
function inWords(element) {
  const role = roleOf(element);
  const kind = role === 'generic' ? `<${element.localName}${element.id ? ` id="${element.id}"` : ''}>` : role;
  const name = shorten(nameOf(element, role) || tidy(element.textContent ?? ''), 40);
  const ref = refs.get(element);
  return `${ref ? `${ref} ` : ''}${kind}${name ? ` "${name}"` : ''}`;
}

/** The rectangles in which an element is drawn. @param {Element} element @returns {DOMRect[]} */
function rectsOf(element) {
  const drawn = [...element.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  if (drawn.length) return drawn;
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
}

/** @param {Element} element */
function isShown(element) {
  return (element.checkVisibility({ visibilityProperty: true }) || getComputedStyle(element).display === 'contents')
    && rectsOf(element).length > 0;
}

/** @param {Element} element */
function isDisabled(element) {
  if (element.matches(':disabled')) return true;
  for (let node = /** @type {Element | null} */ (element); node; node = parentOf(node)) {
    const written = node.getAttribute('aria-disabled');
    if (written !== null) return written === 'true';
  }
  return false;
}

/** A hidden checkbox, radio button or file field is worked by its label. @param {Element} element @returns {Element} */
function standIn(element) {
  if (!(element instanceof HTMLInputElement) || !['checkbox', 'radio', 'file'].includes(element.type)) return element;
  const rect = element.getBoundingClientRect();
  if (isShown(element) && rect.width > 1 && rect.height > 1 && getComputedStyle(element).opacity !== '0') return element;
  return [...(element.labels ?? [])].find(isShown) ?? element;
}

/** Whether a click that hits one element reaches another. @param {Element} hit @param {Element} wanted */
function reaches(hit, wanted) {
  for (let node = /** @type {Element | null} */ (hit); node; node = parentOf(node)) if (node === wanted) return true;
  const label = hit.closest('label');
  if (label !== null && label.control === wanted) return true;
  for (const slot of wanted.querySelectorAll('slot')) {
    if (slot.assignedElements({ flatten: true }).some((assigned) => assigned.contains(hit))) return true;
  }
  // Drawings inside a button often let clicks through to the button.
  return !wanted.matches(INTERACTIVE) && wanted.parentElement?.closest(INTERACTIVE) === hit;
}

/** What lies on top of an element at a point: itself, another element, or nothing. @param {Element} element @param {Spot} spot */
function topAt(element, { x, y }) {
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

/** A point where a click would reach the element. @param {Element} element @returns {Spot | Trouble} */
function freeSpot(element) {
  /** @type {Element | null} */
  let cover = null;
  /** @type {Spot | null} */
  let second = null;
  for (const rect of rectsOf(element).slice(0, 4)) {
    const [left, right] = [Math.max(rect.left, 0), Math.min(rect.right, innerWidth)];
    const [top, bottom] = [Math.max(rect.top, 0), Math.min(rect.bottom, innerHeight)];
    if (right <= left || bottom <= top) continue;
    for (const [across, down] of SPOTS) {
      const spot = { x: left + (right - left) * across, y: top + (bottom - top) * down };
      const hit = topAt(element, spot);
      if (hit !== element) {
        cover ??= hit;
        continue;
      }
      const inner = document.elementFromPoint(spot.x, spot.y)?.closest(INTERACTIVE);
      if (!inner || inner === element || !element.contains(inner)) return spot;
      second ??= spot; // it belongs to a button inside the element
    }
  }
  if (second !== null) return second;
  return cover === null ? { trouble: 'outside' } : { trouble: 'covered', by: inWords(cover) };
}

/** @param {Element} element */
function isAnimated(element) {
  return document.getAnimations().some(({ playState, effect }) => {
    const target = effect instanceof KeyframeEffect ? effect.target : null;
    return playState === 'running' && target !== null && (target === element || target.contains(element));
  });
}

/** The point of an element that was asked for, if a click there reaches it. @param {Element} element @param {number[]} at @param {boolean} own @returns {Spot | Trouble} */
function askedSpot(element, [right, down], own) {
  const rect = element.getBoundingClientRect();
  if (right > rect.width || down > rect.height) return { trouble: 'beyond', by: `${Math.floor(rect.width)} × ${Math.floor(rect.height)}` };
  const spot = { x: rect.left + right, y: rect.top + down };
  const hit = topAt(element, spot);
  if (hit !== element) return hit === null ? { trouble: 'outside' } : { trouble: 'covered', by: inWords(hit) };
  const inner = own ? thingInside(element, spot) : null;
  return inner === null ? spot : { trouble: 'inner', by: inWords(inner) };
}

/**
 * What can be clicked for itself at a point of an element. Such a thing must be named itself: what is decided about an action is
 * decided about the element that was named.
 * @param {Element} element @param {Spot} spot
 */
function thingInside(element, { x, y }) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && rootOf(hit); root; root = hit && rootOf(hit)) {
    const deeper = root.elementFromPoint(x, y);
    if (deeper === null || deeper === hit) break;
    hit = deeper;
  }
  for (let node = hit; node && node !== element; node = parentOf(node)) {
    if (node.matches(INTERACTIVE) || isClickable(node)) return node;
  }
  return null;
}

/** @param {Element} element @param {number} tries how often it was tried before @param {number[] | null} at */
function scrollToReach(element, tries, at) {
  const rect = element.getBoundingClientRect();
  if (at !== null) return scrollToSpot(element, { x: rect.left + at[0], y: rect.top + at[1] });
  const block = ALIGNMENTS[(tries / TRIES_PER_ALIGNMENT) % ALIGNMENTS.length];
  element.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
}

/** @param {Element} element @param {number} tries how often it was tried before @param {number[] | null} at @param {boolean} own @returns {Promise<Spot | Trouble>} */
async function reachableSpot(element, tries, at, own) {
  const look = () => (at === null ? freeSpot(element) : askedSpot(element, at, own));
  let spot = look();
  let scrolled = false;
  if ('trouble' in spot && !FINAL_TROUBLES.has(spot.trouble) && tries % TRIES_PER_ALIGNMENT === 0) {
    scrollToReach(element, tries, at);
    scrolled = true;
    spot = look();
  }
  if ('trouble' in spot || !(scrolled || isAnimated(element))) return spot;
  const before = element.getBoundingClientRect();
  await nextFrame();
  const after = element.getBoundingClientRect();
  const moved = Math.abs(before.left - after.left) + Math.abs(before.top - after.top) > 1;
  return moved && tries < MOVING_TRIES ? { trouble: 'moving' } : look();
}

/**
 * Waits until an element can be acted on. Gives the element itself or its stand-in, and the point, which the caller may name. What
 * will be pressed must be the element's `own`, not a thing inside it.
 * @param {Aimed} aimed @param {number} patienceMs @param {{ mayBeDisabled?: boolean, at?: number[] | null, own?: boolean }} [leave]
 * @returns {Promise<{ element: Element, spot: Spot } | Trouble>}
 */
async function ready(aimed, patienceMs, leave = {}) {
  const ref = refIn(aimed);
  const until = performance.now() + patienceMs;
  const mine = abandoned;
  for (let tries = 0; ; tries++) {
    const named = elementOf(ref);
    if (named === null) return goneTrouble(ref);
    if (named instanceof HTMLOptionElement && !(/** @type {HTMLSelectElement | null} */ (named.closest('select'))?.size)) return { trouble: 'option' };
    const element = leave.at ? named : standIn(named);
    /** @type {Spot | Trouble} */
    let spot;
    if (!isShown(element)) spot = { trouble: 'hidden' };
    else if (!leave.mayBeDisabled && isDisabled(named)) spot = { trouble: 'disabled' };
    else spot = await reachableSpot(element, tries, leave.at ?? null, leave.own === true);
    if (!('trouble' in spot)) return isBroken(aimed, named) ? { trouble: 'changed' } : { element, spot };
    if (FINAL_TROUBLES.has(spot.trouble) || performance.now() >= until || mine !== abandoned) return spot;
    await nextFrame();
  }
}

/** Where to point at an element without clicking it. @param {Aimed} aimed @param {number[] | null} at @param {boolean} own @param {number} patienceMs */
pilot.point = async function point(aimed, at, own, patienceMs) {
  const found = await ready(aimed, patienceMs, { mayBeDisabled: true, at, own });
  if ('trouble' in found) return found;
  expectMouse();
  return found.spot;
};

/** Settles once the mouse moves in this frame. @type {Promise<boolean>} */
let mouseFelt = Promise.resolve(false);

function expectMouse() {
  mouseFelt = new Promise((resolve) => {
    /** @param {Event} event */
    const see = (event) => {
      if (!event.isTrusted) return;
      removeEventListener('pointermove', see, { capture: true });
      resolve(true);
    };
    addEventListener('pointermove', see, { capture: true });
  });
}

/** Whether the mouse has come to this frame: it is led there by where the browser last drew the frames, which may be out of date. */
pilot.felt = async () => ({ felt: await Promise.race([mouseFelt, severalFrames().then(() => false)]) });

/**
 * A point of a frame inside this one as a point of this one, once the frame can be reached there and keeps its place: what
 * scrolls a frame into view scrolls those around it a little later, and clicks are led by where a frame was last drawn.
 * @param {number} number @param {Spot} inner @param {number} patienceMs
 */
pilot.through = async function through(number, inner, patienceMs) {
  /** @type {Spot | null} */
  let before = null;
  const until = performance.now() + patienceMs;
  const mine = abandoned;
  for (let tries = 0; ; tries++) {
    const element = frameElements.get(number)?.deref();
    if (!element?.isConnected) return { trouble: 'gone', by: 'the frame that it is in' };
    const spot = outerSpot(element, inner);
    const hit = topAt(element, spot);
    const still = before !== null && Math.abs(before.x - spot.x) + Math.abs(before.y - spot.y) < 1;
    const over = performance.now() >= until || mine !== abandoned;
    if (hit === element && (still || over)) return spot;
    before = hit === element ? spot : null;
    if (over) {
      return hit === null ? { trouble: 'outside' } : { trouble: 'covered', by: inWords(hit) };
    }
    if (hit !== element && tries % TRIES_PER_ALIGNMENT === 0) scrollToSpot(element, spot);
    await nextFrame();
  }
};

/** @param {Element} frame @param {Spot} inner */
function outerSpot(frame, inner) {
  const rect = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const [wide, high] = frame instanceof HTMLElement ? [frame.offsetWidth, frame.offsetHeight] : [rect.width, rect.height];
  return {
    x: rect.left + (frame.clientLeft + parseFloat(style.paddingLeft) + inner.x) * (rect.width / wide || 1),
    y: rect.top + (frame.clientTop + parseFloat(style.paddingTop) + inner.y) * (rect.height / high || 1),
  };
}

/** Scrolls whatever holds a frame until a point in it is near the middle of the view. @param {Element} frame @param {Spot} spot */
function scrollToSpot(frame, spot) {
  for (let node = parentOf(frame); node; node = parentOf(node)) {
    const box = node.getBoundingClientRect();
    const before = node.scrollTop;
    node.scrollTop += spot.y - (node === document.scrollingElement ? innerHeight / 2 : box.top + node.clientHeight / 2);
    spot = { x: spot.x, y: spot.y - (node.scrollTop - before) };
    const beforeLeft = node.scrollLeft;
    node.scrollLeft += spot.x - (node === document.scrollingElement ? innerWidth / 2 : box.left + node.clientWidth / 2);
    spot = { x: spot.x - (node.scrollLeft - beforeLeft), y: spot.y };
  }
}
