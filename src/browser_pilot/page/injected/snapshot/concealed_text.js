// Text in a rendered element that nobody can see: transparent, in the colour of its background, or tiny.
//
// A text in the colour of its background can still be seen over a picture, with a shadow, or with a background that is clipped to it;
// then it does not count as concealed. What else covers a text is not examined.

import { isLikeVisibleOnes, noteVisible, parentOf, styleOf } from '../dom.js';
import { isUnreadable } from './visual_hiding.js';

/** @import { StyleInfo } from '../dom.js' */
/** @import { HiddenState } from './visual_hiding.js' */
/** Red, green, blue and alpha. @typedef {[number, number, number, number]} Color */

const MIN_ALPHA = 0.05;
/** Colours that differ less in each channel cannot be told apart. */
const MAX_SAME_COLOR_DIFFERENCE = 10;
const PICTURES = 'img, video, canvas, svg, picture, object, embed, iframe';
const MAX_ANCESTORS = 10;
const MAX_SIBLINGS = 50;
const WHITE = /** @type {Color} */ ([255, 255, 255, 1]);

/** @type {Map<string, Color | null>} */
const parsedColors = new Map();

/**
 * 'hidden' for text directly in an element, when the element itself is not hidden.
 * `quick`: text in an element like three with visible text is taken to be visible.
 * @param {Element} element @param {StyleInfo} style @param {boolean} [quick] @returns {HiddenState}
 */
export function concealedTextState(element, style, quick = false) {
  if (style.concealed === undefined) {
    if (quick && isLikeVisibleOnes(element, 'text')) return isUnreadable(style) ? 'hidden' : '';
    style.concealed = findState(element, style);
    if (quick && !style.concealed) noteVisible(element, 'text');
  }
  return style.concealed;
}

/** @param {Element} element @param {StyleInfo} style @returns {HiddenState} */
function findState(element, style) {
  if (isUnreadable(style)) return 'hidden';
  const fill = colorOf(style.computed.webkitTextFillColor);
  if (fill === null) return '';
  const concealed = fill[3] < MIN_ALPHA ? true : isSameColor(fill, backgroundOf(element));
  return concealed && !isDrawnOtherwise(element, style, fill) ? 'hidden' : '';
}

/** The colour behind an element, as far as its ancestors paint one; null for a picture. @param {Element} element @returns {Color | null} */
function backgroundOf(element) {
  const style = styleOf(element);
  if (style.background === undefined) {
    const own = colorOf(style.computed.backgroundColor);
    const parent = parentOf(element);
    if (own === null || own[3] >= 1 - MIN_ALPHA) style.background = own;
    else if (own[3] > MIN_ALPHA) style.background = null;
    else style.background = parent ? backgroundOf(parent) : WHITE;
  }
  return style.background;
}

/** Whether something else than its colour makes a text visible. @param {Element} element @param {StyleInfo} style @param {Color} fill */
function isDrawnOtherwise(element, { computed }, fill) {
  if (computed.textShadow !== 'none') return true;
  const stroke = parseFloat(computed.webkitTextStrokeWidth) > 0 ? colorOf(computed.webkitTextStrokeColor) : null;
  if (stroke && stroke[3] >= MIN_ALPHA) return true;
  let node = /** @type {Element | null} */ (element);
  for (let depth = 0; node && depth < MAX_ANCESTORS; depth++, node = parentOf(node)) {
    const style = styleOf(node).computed;
    if (style.webkitBackgroundClip.includes('text') && style.backgroundImage !== 'none') return true;
    if (fill[3] < MIN_ALPHA) continue;
    if (style.backgroundImage !== 'none' || style.backdropFilter !== 'none' || style.mixBlendMode !== 'normal') return true;
    const own = colorOf(style.backgroundColor);
    if (own && own[3] >= 1 - MIN_ALPHA) break;
  }
  return fill[3] >= MIN_ALPHA && isOverPicture(element, element.getBoundingClientRect());
}

/** Whether a picture or a coloured box that is no ancestor may be behind. @param {Element} element @param {DOMRect} box */
function isOverPicture(element, box) {
  for (const picture of document.querySelectorAll(PICTURES)) {
    if (!picture.contains(element) && overlaps(picture.getBoundingClientRect(), box) && styleOf(picture).visible && styleOf(picture).opacity !== '0') return true;
  }
  let node = /** @type {Element | null} */ (element);
  for (let depth = 0; node && depth < MAX_ANCESTORS; depth++, node = parentOf(node)) {
    for (const sibling of [...(node.parentElement?.children ?? [])].slice(0, MAX_SIBLINGS)) {
      if (sibling === node || styleOf(sibling).position === 'static') continue;
      const { backgroundImage, backgroundColor } = styleOf(sibling).computed;
      const painted = backgroundImage !== 'none' || (colorOf(backgroundColor)?.[3] ?? 0) > MIN_ALPHA;
      if (painted && overlaps(sibling.getBoundingClientRect(), box)) return true;
    }
  }
  return false;
}

/** @param {DOMRect} one @param {DOMRect} other */
function overlaps(one, other) {
  return one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
}

/** @param {Color} one @param {Color | null} other */
function isSameColor(one, other) {
  return other !== null && [0, 1, 2].every((channel) => Math.abs(one[channel] - other[channel]) <= MAX_SAME_COLOR_DIFFERENCE);
}

/** A colour as `getComputedStyle` writes it; null for other colour spaces. @param {string} text @returns {Color | null} */
function colorOf(text) {
  let color = parsedColors.get(text);
  if (color === undefined) {
    const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
    color = parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3]), parts[4] === undefined ? 1 : Number(parts[4])] : null;
    if (parsedColors.size > 1000) parsedColors.clear();
    parsedColors.set(text, color);
  }
  return color;
}
