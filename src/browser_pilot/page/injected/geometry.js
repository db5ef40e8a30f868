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
  const rect = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const [wide, high] = frame instanceof HTMLElement ? [frame.offsetWidth, frame.offsetHeight] : [rect.width, rect.height];
  return {
    x: rect.left + (frame.clientLeft + parseFloat(style.paddingLeft) + inner.x) * (rect.width / wide || 1),
    y: rect.top + (frame.clientTop + parseFloat(style.paddingTop) + inner.y) * (rect.height / high || 1),
  };
}
