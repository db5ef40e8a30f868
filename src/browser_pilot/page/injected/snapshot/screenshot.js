// What a picture of the page needs: where an element is, and refs drawn over the elements while it is taken.

/** @type {HTMLElement | null} */
let labels = null;

/** The box of an element in this frame's viewport, or null. @param {string} ref */
pilot.boxOf = function boxOf(ref) {
  const element = elementOf(ref);
  if (!element) return null;
  const rect = element.getBoundingClientRect();
  return [rect.left, rect.top, rect.width, rect.height];
};

/** A point of a frame inside this one as a point of this one. @param {number} number @param {Spot} inner */
pilot.outward = function outward(number, inner) {
  const frame = frameElements.get(number)?.deref();
  return frame?.isConnected ? outerSpot(frame, inner) : null;
};

/** Draws refs over their elements. @param {string[]} shown */
pilot.label = function label(shown) {
  pilot.unlabel();
  labels = document.createElement('div');
  labels.style.cssText = 'all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none';
  labels.setAttribute('aria-hidden', 'true');
  const root = labels.attachShadow({ mode: 'closed' });
  for (const ref of shown) {
    const rect = elementOf(ref)?.getBoundingClientRect();
    if (!rect || rect.width === 0 || rect.bottom < 0 || rect.top > innerHeight) continue;
    const frame = document.createElement('div');
    frame.style.cssText = `position: fixed; box-sizing: border-box; border: 2px solid #d6336c; left: ${rect.left}px;
      top: ${rect.top}px; width: ${rect.width}px; height: ${rect.height}px`;
    const tag = document.createElement('span');
    tag.textContent = ref;
    tag.style.cssText = `position: absolute; left: -2px; top: ${rect.top > 14 ? -14 : 0}px; padding: 0 3px;
      background: #d6336c; color: #fff; font: bold 11px/14px sans-serif`;
    frame.append(tag);
    root.append(frame);
  }
  document.documentElement.append(labels);
};

pilot.unlabel = function unlabel() {
  labels?.remove();
  labels = null;
};
