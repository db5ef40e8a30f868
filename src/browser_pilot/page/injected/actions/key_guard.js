// Sees to it that keys do to an element what was decided: when it is no longer the same, they are stopped.

/**
 * Begins to watch the page, and its keys until the watch ends.
 * @param {Aimed} aimed @param {boolean} strictly whether nothing may change after the key went down either: the page may have answered to it
 */
function watchKeys(aimed, strictly) {
  const watched = startWatch();
  if (typeof aimed === 'string') return;
  let down = false;
  /** @param {KeyboardEvent} event */
  const see = (event) => {
    if (!isWatching(watched)) return remove();
    if (!event.isTrusted) return;
    const decides = !down || (strictly && (event.type === 'keypress' || event.key === ' '));
    if (decides && !watched.stopped) {
      const named = elementOf(aimed.ref);
      watched.stopped = named === null || isBroken(aimed, named) || !holdsFocus(named);
    }
    if (watched.stopped) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (event.type === 'keydown' && !MODIFIERS.has(event.key)) down = true;
  };
  const remove = () => KEY_EVENTS.forEach((type) => removeEventListener(type, see, { capture: true }));
  for (const type of KEY_EVENTS) addEventListener(type, see, { capture: true });
}

const KEY_EVENTS = /** @type {const} */ (['keydown', 'keypress', 'keyup']);
const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta']);

/** Whether keys go to an element, or to what it stands for. @param {Element} named */
function holdsFocus(named) {
  const focused = focusedElement();
  const meant = fieldOf(named) ?? named;
  return focused === meant || focused === named || focused === null || focused === document.body || meant.contains(focused);
}

/** Whether an element is still what was decided about; then its keys are watched. @param {Aimed} aimed @param {boolean} strictly */
pilot.still = function still(aimed, strictly) {
  const named = elementOf(refIn(aimed));
  if (named === null || isBroken(aimed, named)) return { trouble: 'changed' };
  watchKeys(aimed, strictly);
  return {};
};

/** Whether the focus is still where it was when it was decided about. @param {Aimed} aimed @param {boolean} strictly */
pilot.stillFocused = function stillFocused(aimed, strictly) {
  return focusedElement() === elementOf(refIn(aimed)) ? pilot.still(aimed, strictly) : { trouble: 'changed' };
};

/** Gives any element the focus, for keys to go to. @param {Aimed} aimed @param {boolean} strictly @param {number} patienceMs */
pilot.focus = async function focus(aimed, strictly, patienceMs) {
  const found = await ready(aimed, patienceMs, { mayBeDisabled: true });
  if ('trouble' in found && found.trouble !== 'covered') return found;
  const named = /** @type {Element} */ (elementOf(refIn(aimed)));
  if (isBroken(aimed, named)) return { trouble: 'changed' };
  focusOn(fieldOf(named) ?? named);
  watchKeys(aimed, strictly);
  return {};
};
