// Rendered elements that cannot be seen: transparent, clipped, moved off the screen, or with tiny text.

import { isLikeVisibleOnes, noteVisible, ownText, parentOf, styleOf } from '../dom.js';

/** @import { StyleInfo } from '../dom.js' */

const MIN_FONT_PIXELS = 2;
const FAR_PIXELS = -900;

/**
 * 'hidden' or 'offscreen' for an element that is rendered but cannot be seen. `quick`: an element like three visible ones is taken to be visible.
 * @param {Element} element @param {StyleInfo} style @param {boolean} [inline] @param {boolean} [quick] @returns {string}
 */
export function hiddenState(element, style, inline = false, quick = false) {
  if (style.opacity !== '1' && Number(style.opacity) < 0.02) return 'hidden';
  if (style.position === 'absolute' || style.position === 'fixed') return positionedHiddenState(element, style) || paintedAway(element, style);
  if (!(quick && isLikeVisibleOnes(element, 'box'))) {
    const away = paintedAway(element, style) || placedAway(element, style, inline);
    if (away) return away;
    if (quick) noteVisible(element, 'box');
  }
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

/** Whether a clip, a mask, a filter or a negative z-index leaves nothing to see. @param {Element} element @param {StyleInfo} style */
function paintedAway(element, style) {
  const { computed } = style;
  if (computed.clipPath !== 'none' && isEmptyClip(computed.clipPath)) return 'hidden';
  if (computed.filter !== 'none' && /opacity\(0(?:\.0\d*)?%?\)/.test(computed.filter)) return 'hidden';
  if (computed.maskImage !== 'none' && isEmptyMask(computed)) return 'hidden';
  return style.position !== 'static' && Number(computed.zIndex) < 0 && isBehind(element) ? 'hidden' : '';
}

/** Whether a transform, a margin or an offset takes an element out of sight. @param {Element} element @param {StyleInfo} style @param {boolean} inline */
function placedAway(element, { computed, position, display }, inline) {
  const offset = position === 'relative' && (parseFloat(computed.left) < FAR_PIXELS || parseFloat(computed.top) < FAR_PIXELS);
  const isTransformed = (!inline || display !== 'inline') && (computed.transform !== 'none' || computed.scale !== 'none');
  if (!offset && !isTransformed && !(parseFloat(computed.marginLeft) < FAR_PIXELS || parseFloat(computed.marginTop) < FAR_PIXELS)) return '';
  const box = element.getBoundingClientRect();
  if (isOffscreen(element, box) || isOffscreen(element, textBox(element))) return 'offscreen';
  // A box without a size may overflow; scaled to nothing, it cannot.
  const isFlat = isTransformed && (box.width < 1 || box.height < 1);
  return isFlat && element instanceof HTMLElement && element.offsetWidth > 1 && element.offsetHeight > 1 ? 'hidden' : '';
}

/** The box of the content, which may begin far to the left of its wide element. @param {Element} element */
function textBox(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

/** Shapes without an area; others are taken to show something. @param {string} clipPath */
function isEmptyClip(clipPath) {
  if (/^(?:circle|ellipse)\(0(?:px|%)?[ )]/.test(clipPath)) return true;
  const inset = /^inset\(([^)]*)\)/.exec(clipPath);
  if (inset) {
    const sides = inset[1].split(' round ')[0].split(' ').map((side) => (side.endsWith('%') ? parseFloat(side) : 0));
    const [top, right = top, bottom = top, left = right] = sides;
    return top + bottom >= 99 || left + right >= 99;
  }
  const polygon = /^polygon\((?:\w+, )?(.*)\)$/.exec(clipPath);
  if (!polygon) return false;
  const points = polygon[1].split(', ').map((point) => point.split(' '));
  return points.every(([x]) => x === points[0][0]) || points.every(([, y]) => y === points[0][1]);
}

/** A mask of nothing but transparent colours. @param {CSSStyleDeclaration} computed */
function isEmptyMask({ maskImage, maskMode }) {
  const colors = maskImage.match(/rgba?\([^)]*\)/g);
  if (colors && !maskImage.includes('url(')) {
    if (colors.every((color) => /^rgba\(.*, 0\)$/.test(color))) return true;
    return maskMode === 'luminance' && colors.every((color) => color.startsWith('rgb(0, 0, 0'));
  }
  return false;
}

/** Whether an ancestor paints its background over an element with a negative z-index. @param {Element} element */
function isBehind(element) {
  for (let node = parentOf(element); node && node !== document.documentElement; node = parentOf(node)) {
    const style = styleOf(node);
    if (isStackingContext(style)) return false;
    // The background of the body is that of the whole page, unless the root has one.
    if (hasBackground(node) && (node !== document.body || hasBackground(document.documentElement))) return true;
  }
  return false;
}

/** @param {StyleInfo} style */
function isStackingContext({ computed, opacity, position }) {
  return (position !== 'static' && computed.zIndex !== 'auto') || position === 'fixed' || position === 'sticky' || opacity !== '1'
    || computed.transform !== 'none' || computed.filter !== 'none' || computed.isolation === 'isolate' || computed.mixBlendMode !== 'normal';
}

/** @param {Element} element */
function hasBackground(element) {
  const { backgroundColor, backgroundImage } = styleOf(element).computed;
  return backgroundImage !== 'none' || !/^rgba\(.*, 0\)$/.test(backgroundColor);
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
  if (isEmptyRect(clip) || /inset\((50|100)%/.test(clipPath)) return 'hidden';
  if (isOffscreen(element, box)) return 'offscreen';
  return style.position === 'fixed' && (box.left >= innerWidth || box.top >= innerHeight) ? 'offscreen' : '';
}

/** `clip: rect(top, right, bottom, left)` of at most a pixel. @param {string} clip */
function isEmptyRect(clip) {
  const sides = /rect\(([-\d.]+)px,? ([-\d.]+)px,? ([-\d.]+)px,? ([-\d.]+)px\)/.exec(clip);
  return sides !== null && (Number(sides[2]) - Number(sides[4]) <= 1 || Number(sides[3]) - Number(sides[1]) <= 1);
}

/** Whether a box is to the left of the page or above it, where no scrolling leads. @param {Element} element @param {DOMRect} box */
export function isOffscreen(element, box) {
  return (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) && !isScrolledAway(element, box);
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
