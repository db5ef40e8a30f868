// Waits for a text or for a state of an element, and answers as soon as it is so.

/** @typedef {{ text?: string, gone?: boolean, wanted?: Wanted, state?: string }} Sought */

const RECHECK_MS = 100;
const SHORTEST_PAUSE_MS = 4;
/** @type {Map<number, () => void>} */
const waits = new Map();

/** @param {string} state */
function isAbsence(state) {
  return state === 'hidden' || state === 'detached';
}

/** @param {Sought} awaited */
function isSo(awaited) {
  if (awaited.text !== undefined) {
    const there = hasText(awaited.text);
    return awaited.gone ? !there : there;
  }
  const { wanted = {}, state = 'visible' } = awaited;
  const found = wanted.ref !== undefined ? [elementOf(wanted.ref)].filter((element) => element !== null) : locateAll(wanted);
  if (state === 'detached') return found.length === 0;
  if (state === 'hidden') return !found.some(isShown);
  return found.some((element) => isInState(element, state));
}

/** @param {Element} element @param {string} state */
function isInState(element, state) {
  switch (state) {
    case 'attached': return true;
    case 'visible': return isShown(element);
    case 'enabled': return isShown(element) && !isDisabled(element);
    case 'disabled': return isDisabled(element);
    case 'focused': return focusedElement() === element;
    default: return checkedState(element) === state;
  }
}

/** Whether a text can be seen on the page. @param {string} text */
function hasText(text) {
  const lower = tidy(text).toLowerCase();
  // Text that is nowhere need not be looked for in every element.
  const plain = tidy(document.body?.textContent ?? '').toLowerCase();
  if (!plain.includes(lower) && !anyShadowHas(lower) && !buttonHas(lower)) return false;
  startReading();
  return byText({ text }).length > 0;
}

/** @param {string} lower */
function anyShadowHas(lower) {
  for (const element of everyElement(document)) {
    const root = rootOf(element);
    if (root && tidy(root.textContent ?? '').toLowerCase().includes(lower)) return true;
  }
  return false;
}

/** @param {string} lower */
function buttonHas(lower) {
  const buttons = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[type=submit], input[type=button], input[type=reset]'));
  return [...buttons].some((button) => tidy(button.value).toLowerCase().includes(lower));
}

/** @param {number} id @param {Sought} awaited @param {number} limitMs @returns {Promise<boolean | { invalid: string }>} */
pilot.waitUntil = function waitUntil(id, awaited, limitMs) {
  try {
    if (isSo(awaited)) return Promise.resolve(true);
  } catch (error) {
    return Promise.resolve({ invalid: error instanceof Error ? error.message : String(error) });
  }
  return new Promise((resolve) => {
    let pending = false;
    let pause = SHORTEST_PAUSE_MS;
    let last = performance.now();
    /** @param {boolean} so */
    const end = (so) => {
      observer.disconnect();
      clearInterval(timer);
      clearTimeout(limit);
      waits.delete(id);
      resolve(so);
    };
    const check = () => {
      pending = false;
      const began = performance.now();
      if (isSo(awaited)) return end(true);
      // A look at a large page takes long: never more than a third of the page's time.
      pause = Math.max(SHORTEST_PAUSE_MS, (performance.now() - began) * 2);
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
      const root = rootOf(element);
      if (root) observer.observe(root, kinds);
    }
    const timer = setInterval(checkSoon, RECHECK_MS);
    const limit = setTimeout(() => end(false), limitMs);
    waits.set(id, () => end(false));
  });
};

/** @param {number} id */
pilot.stopWaiting = (id) => waits.get(id)?.();
