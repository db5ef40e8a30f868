// Rendered elements that cannot be seen: transparent, clipped, moved off the screen, or with tiny text.

import { ownText, parentOf, styleOf } from '../dom.js';

/** @import { StyleInfo } from '../dom.js' */

const MIN_FONT_PIXELS = 2;

/** 'hidden' or 'offscreen' for an element that is rendered but cannot be seen. @param {Element} element @param {StyleInfo} style @param {boolean} [inline] @returns {string} */
export function hiddenState(element, style, inline = false) {
  if (style.opacity !== '1' && Number(style.opacity) < 0.02) return 'hidden';
  if (style.position === 'absolute' || style.position === 'fixed') return positionedHiddenState(element, style);
  if (inline) return '';
  if (mayClip(style) && (element.clientHeight < 2 || element.clientWidth < 2) && isTooSmall(element.getBoundingClientRect())) return 'hidden';
  return element.firstChild instanceof Text && parseFloat(style.computed.textIndent) < -900 ? 'hidden' : '';
}

/** Whether an element or one of its ancestors cannot be seen. @param {Element} element */
export function isVisuallyHidden(element) {
  for (let node = /** @type {Element | null} */ (element); node && node !== document.body; node = parentOf(node)) {
    if (hiddenState(node, styleOf(node))) return true;
  }
  return false;
}

/** Whether text in a style is too small to be read. @param {StyleInfo} style */
export function isTiny(style) {
  return parseFloat(style.computed.fontSize) < MIN_FONT_PIXELS;
}

/** The same for the first text inside an element. @param {Element} element */
export function hasTinyText(element) {
  let inner = element;
  while (inner.firstElementChild && !ownText(inner)) inner = inner.firstElementChild;
  return isTiny(styleOf(inner));
}

/** Styles are read first: reading a size costs more. @param {StyleInfo} style */
function mayClip({ computed }) {
  return computed.overflowX !== 'visible' || computed.clipPath !== 'none' || computed.contentVisibility === 'hidden';
}

/** @param {DOMRect} box */
function isTooSmall(box) {
  return box.width < 2 || box.height < 2;
}

/** @param {Element} element @param {StyleInfo} style */
function positionedHiddenState(element, style) {
  const { clip, clipPath } = style.computed;
  const box = element.getBoundingClientRect();
  if (isTooSmall(box)) return mayClip(style) || clip !== 'auto' ? 'hidden' : '';
  if (/rect\(0px,? 0px,? 0px|rect\(1px,? 1px,? 1px/.test(clip) || /inset\((50|100)%/.test(clipPath)) return 'hidden';
  if ((box.right + scrollX <= 0 || box.bottom + scrollY <= 0) && !isScrolledAway(element, box)) return 'offscreen';
  return style.position === 'fixed' && (box.left >= innerWidth || box.top >= innerHeight) ? 'offscreen' : '';
}

/** Whether scrolling its containers back would show an element. @param {Element} element @param {DOMRect} box */
function isScrolledAway(element, box) {
  let { right, bottom } = box;
  for (let node = parentOf(element); node; node = parentOf(node)) {
    right += node.scrollLeft;
    bottom += node.scrollTop;
  }
  return right > 0 && bottom > 0;
}
