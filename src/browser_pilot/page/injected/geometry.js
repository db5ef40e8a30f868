// Boxes and points in this frame's viewport.

/** @typedef {{ x: number, y: number }} Point */

/** The bounding box, rounded to pixels. @param {Element | Text} node */
export function boxOf(node) {
  const range = node instanceof Text ? document.createRange() : null;
  if (range) range.selectNodeContents(node);
  const box = (range ?? /** @type {Element} */ (node)).getBoundingClientRect();
  return [Math.round(box.x), Math.round(box.y), Math.round(box.width), Math.round(box.height)];
}

/** The rectangles in which an element, or else its content, is rendered. @param {Element} element @returns {DOMRect[]} */
export function rectsOf(element) {
  const rendered = [...element.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  if (rendered.length) return rendered;
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
}

/** A point inside a frame as a point of this document. @param {Element} frame @param {Point} inner */
export function outerPoint(frame, inner) {
  const { left, top, across, down } = contentBox(frame);
  return { x: left + inner.x * across, y: top + inner.y * down };
}

/** A point of this document as a point inside a frame. @param {Element} frame @param {Point} outer */
export function innerPoint(frame, outer) {
  const { left, top, across, down } = contentBox(frame);
  return { x: (outer.x - left) / across, y: (outer.y - top) / down };
}

/** Where a frame's document begins, and its scale. @param {Element} frame */
function contentBox(frame) {
  const rect = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const [wide, high] = frame instanceof HTMLElement ? [frame.offsetWidth, frame.offsetHeight] : [rect.width, rect.height];
  const [across, down] = [rect.width / wide || 1, rect.height / high || 1];
  return {
    left: rect.left + (frame.clientLeft + parseFloat(style.paddingLeft)) * across,
    top: rect.top + (frame.clientTop + parseFloat(style.paddingTop)) * down,
    across,
    down,
  };
}
