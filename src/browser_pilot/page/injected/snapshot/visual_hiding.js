// Rendered elements that cannot be seen: transparent, clipped, moved off the screen, or with tiny text.

import { isLikeVisibleOnes, noteVisible, ownText, parentOf, styleOf } from '../dom.js';
import { containsAbsolute, containsFixed } from './containing_block.js';

/** @import { StyleInfo } from '../dom.js' */
/** `transparent`: nothing to see, but it takes clicks. @typedef {'' | 'transparent' | 'offscreen' | 'hidden'} HiddenState */
/** @typedef {{ state: HiddenState, absolute: HiddenState, fixed: HiddenState }} Hiding */

const MIN_FONT_PIXELS = 2;
const FAR_PIXELS = -900;
const MIN_OPACITY = 0.02;
const SEVERITY = ['', 'transparent', 'offscreen', 'hidden'];
/** @type {Hiding} */
export const NOT_HIDDEN = { state: '', absolute: '', fixed: '' };

/**
 * How an element is hidden, and how it hides what is inside: `state` is its own and that of its in-flow contents, `absolute` and `fixed`
 * are those of descendants that are positioned against an ancestor of it, and so escape its clip.
 * @param {Element} element @param {StyleInfo} style @param {Hiding} parent that of the element's parent
 * @param {boolean} [quick] whether an element like three visible ones is taken to be visible
 * @returns {Hiding}
 */
export function hidingOf(element, style, parent, quick = false) {
  if (style.display === 'contents') return parent;
  const outer = parent === NOT_HIDDEN || isInTopLayer(element) ? NOT_HIDDEN : parent;
  const positioned = style.position === 'absolute' || style.position === 'fixed';
  const known = quick && !positioned && isLikeVisibleOnes(element, 'box');
  const painted = known ? '' : paintState(element, style, positioned);
  let state = worst(inheritedState(element, style, outer), painted);
  if (state === '' || state === 'transparent') state = worst(boxState(element, style, positioned, known), state);
  if (state === '' && outer === NOT_HIDDEN) {
    if (quick && !positioned && !known) noteVisible(element, 'box');
    return NOT_HIDDEN;
  }
  return {
    state,
    absolute: containsAbsolute(style) ? state : worst(outer.absolute, painted),
    fixed: containsFixed(style) ? state : worst(outer.fixed, painted),
  };
}

/** The same for an element of which nothing is known yet. @param {Element | null} element @returns {Hiding} */
export function hidingAt(element) {
  const path = [];
  for (let node = element; node; node = parentOf(node)) path.push(node);
  return path.reduceRight((parent, node) => hidingOf(node, styleOf(node), parent), NOT_HIDDEN);
}

/** Whether an element or one of its ancestors cannot be seen. @param {Element} element */
export function isVisuallyHidden(element) {
  return hidingAt(element).state !== '';
}

/** The mark of a row or node: only what takes clicks can be told to be transparent. @param {HiddenState} state @param {boolean} actionable */
export function markOf(state, actionable) {
  return state === 'transparent' && !actionable ? 'hidden' : state;
}

/** What its ancestors do to an element. @param {Element} element @param {StyleInfo} style @param {Hiding} outer @returns {HiddenState} */
function inheritedState(element, { position }, outer) {
  if (outer === NOT_HIDDEN) return '';
  const state = position === 'fixed' ? outer.fixed : position === 'absolute' ? outer.absolute : outer.state;
  return state === 'offscreen' && isInViewport(element) ? '' : state;
}

/** @param {HiddenState} one @param {HiddenState} other */
function worst(one, other) {
  if (one === '' || other === '') return one || other;
  return SEVERITY.indexOf(one) > SEVERITY.indexOf(other) ? one : other;
}

/** What hides all descendants, wherever they are positioned. @param {Element} element @param {StyleInfo} style @param {boolean} positioned @returns {HiddenState} */
function paintState(element, style, positioned) {
  if (style.opacity !== '1' && Number(style.opacity) < MIN_OPACITY) return 'transparent';
  if (positioned) {
    const { clip, clipPath } = style.computed;
    if (clip !== 'auto' && (isEmptyRect(clip) || isTooSmall(element.getBoundingClientRect()))) return 'hidden';
    if (clipPath !== 'none' && /inset\((50|100)%/.test(clipPath)) return 'hidden';
  }
  return paintedAway(element, style);
}

/**
 * What hides an element by its place or size, and with it what it contains.
 * @param {Element} element @param {StyleInfo} style @param {boolean} positioned @param {boolean} known whether it is like visible ones
 * @returns {HiddenState}
 */
function boxState(element, style, positioned, known) {
  if (positioned) {
    const box = element.getBoundingClientRect();
    if (isTooSmall(box)) return clipsToNothing(element, style) ? 'hidden' : '';
    if (isOffscreen(element, box)) return 'offscreen';
    return style.position === 'fixed' && (box.left >= innerWidth || box.top >= innerHeight) ? 'offscreen' : '';
  }
  const away = known ? '' : placedAway(element, style);
  if (away || style.display === 'inline') return away;
  if (clipsToNothing(element, style)) return 'hidden';
  return element.firstChild instanceof Text && isIndentedAway(style) && ownText(element) && style.computed.backgroundImage === 'none' ? 'transparent' : '';
}

/** Whether text in a style is too small to be read. @param {StyleInfo} style */
function isTiny(style) {
  return parseFloat(style.computed.fontSize) < MIN_FONT_PIXELS;
}

/** The same for the first text inside an element. @param {Element} element */
export function hasTinyText(element) {
  let inner = element;
  while (inner.firstElementChild && !ownText(inner)) inner = inner.firstElementChild;
  return isTiny(styleOf(inner));
}

/** Whether text in a style is too small to be read, or begins far to the left. @param {StyleInfo} style */
export function isUnreadable(style) {
  return isTiny(style) || isIndentedAway(style);
}

/** @param {StyleInfo} style */
function isIndentedAway({ computed }) {
  return parseFloat(computed.textIndent) < FAR_PIXELS;
}

/**
 * Whether an element has an empty box and clips what overflows it. Styles are read first: reading a size costs more.
 * @param {Element} element @param {StyleInfo} style
 */
function clipsToNothing(element, { computed }) {
  const { overflowX, overflowY } = computed;
  const all = computed.contentVisibility === 'hidden';
  if (overflowX === 'visible' && overflowY === 'visible' && !all) return false;
  const across = (all || overflowX !== 'visible') && element.clientWidth < 2;
  const down = (all || overflowY !== 'visible') && element.clientHeight < 2;
  if (!across && !down) return false;
  const box = element.getBoundingClientRect();
  return ((across && box.width < 2) || (down && box.height < 2)) && !isViewportOverflow(element);
}

/** Whether the viewport takes the overflow of an element over, which then clips nothing itself. @param {Element} element */
function isViewportOverflow(element) {
  const root = document.documentElement;
  if (element === root) return true;
  if (element !== document.body) return false;
  const { overflowX, overflowY, contain } = styleOf(root).computed;
  return overflowX === 'visible' && overflowY === 'visible' && contain === 'none' && styleOf(element).computed.contain === 'none';
}

/** Whether a clip, a mask, a filter or a negative z-index leaves nothing to see. @param {Element} element @param {StyleInfo} style @returns {HiddenState} */
function paintedAway(element, style) {
  const { computed } = style;
  if (computed.clipPath !== 'none' && isEmptyClip(computed.clipPath)) return 'hidden';
  if (computed.filter !== 'none' && /opacity\(0(?:\.0\d*)?%?\)/.test(computed.filter)) return 'transparent';
  if (computed.maskImage !== 'none') {
    if (isTooSmall(element.getBoundingClientRect())) return 'hidden';
    if (isEmptyMask(computed)) return 'transparent';
  }
  return style.position !== 'static' && Number(computed.zIndex) < 0 && isBehind(element) ? 'hidden' : '';
}

/** Whether a transform, a margin or an offset takes an element out of sight. @param {Element} element @param {StyleInfo} style @returns {HiddenState} */
function placedAway(element, { computed, position, display }) {
  const offset = position === 'relative' && (parseFloat(computed.left) < FAR_PIXELS || parseFloat(computed.top) < FAR_PIXELS);
  const isTransformed = display !== 'inline' && (computed.transform !== 'none' || computed.scale !== 'none');
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

/** `clip: rect(top, right, bottom, left)` of at most a pixel. @param {string} clip */
function isEmptyRect(clip) {
  const sides = /rect\(([-\d.]+)px,? ([-\d.]+)px,? ([-\d.]+)px,? ([-\d.]+)px\)/.exec(clip);
  return sides !== null && (Number(sides[2]) - Number(sides[4]) <= 1 || Number(sides[3]) - Number(sides[1]) <= 1);
}

/** Whether an element has a box of its own within the viewport. @param {Element} element */
function isInViewport(element) {
  return [element.getBoundingClientRect(), textBox(element)].every(
    (box) => box.width >= 2 && box.height >= 2 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
  );
}

/** Whether the browser draws an element above all others, outside of its ancestors. @param {Element} element */
function isInTopLayer(element) {
  return element.matches(':modal, :popover-open, :fullscreen');
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
