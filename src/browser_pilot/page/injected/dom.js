// The composed tree as it is rendered: shadow roots and slots in place, styles read once per reading.
//
// `startReading` begins a reading and drops what the last one cached; call it before each synchronous pass over the page.

import { isFilled } from './filled_secrets.js';

/** @import { HiddenState } from './snapshot/visual_hiding.js' */
/** The parts of a style that a walk needs for every element; the rest is read from `computed` where it matters.
 * @typedef {{ computed: CSSStyleDeclaration, display: string, visible: boolean, cursor: string, opacity: string, position: string,
 *   kind?: string, concealed?: HiddenState, background?: [number, number, number, number] | null }} StyleInfo the last three are caches. */

export const SKIPPED_TAGS = new Set([
  'SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'BASE', 'PARAM', 'SOURCE', 'TRACK', 'COL',
  'COLGROUP', 'DATALIST', 'RP', 'DEFS', 'SYMBOL', 'CLIPPATH', 'MASK', 'FILTER', 'METADATA', 'LINEARGRADIENT',
  'RADIALGRADIENT', 'PATTERN', 'NOFRAMES',
]);
const MIN_SIMILAR_ELEMENTS = 3;

export const NO_GENERATED_TEXT = /** @type {[string, string]} */ (['', '']);

/** Closed shadow roots that CDP has opened for us. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/** @type {Map<Element, StyleInfo>} */
let styles = new Map();
/** How many elements of one kind had no generated text in this reading. @type {Map<string, number>} */
let withoutGeneratedText = new Map();
/** How many elements of one kind were examined in this reading and can be seen. @type {Map<string, number>} */
let visibleOnes = new Map();
/** Elements that aria-owns has moved elsewhere. @type {Set<Element>} */
let ownedElements = new Set();
/** @type {Element | null} */
let focusedAtStart = null;

export function startReading() {
  styles = new Map();
  withoutGeneratedText = new Map();
  visibleOnes = new Map();
  ownedElements = new Set();
  focusedAtStart = focusedElement();
  if (document.querySelector('[aria-owns]')) {
    for (const owner of document.querySelectorAll('[aria-owns]')) {
      for (const owned of referenced(owner, 'aria-owns')) if (!owned.contains(owner)) ownedElements.add(owned);
    }
  }
}

/** @param {Element} element @returns {StyleInfo} */
export function styleOf(element) {
  let style = styles.get(element);
  if (style === undefined) {
    const computed = getComputedStyle(element);
    style = {
      computed,
      display: computed.display,
      visible: computed.visibility === 'visible',
      cursor: computed.cursor,
      opacity: computed.opacity,
      position: computed.position,
    };
    styles.set(element, style);
  }
  return style;
}

/** Drops the cached style of an element that may have changed within a reading. @param {Element} element */
export function forgetStyle(element) {
  styles.delete(element);
}

/** Whether aria-owns moves an element elsewhere. @param {Element} element */
export function isOwnedElsewhere(element) {
  return ownedElements.has(element);
}

/** Visits an owned element at its owner, once. @param {Element} owned @param {() => void} visit */
export function visitAtOwner(owned, visit) {
  if (!ownedElements.delete(owned)) return;
  visit();
  ownedElements.add(owned);
}

/** Whether an element had the focus when the reading began. @param {Element} element */
export function isFocused(element) {
  return element === focusedAtStart;
}

/** Tag name in capitals, also for SVG and XHTML. @param {Element} element */
export function tagOf(element) {
  return element.tagName.toUpperCase();
}

/** @param {Element} host @param {ShadowRoot} root */
export function setClosedRoot(host, root) {
  closedRoots.set(host, root);
}

/** @param {Element} element @returns {ShadowRoot | null} */
export function shadowRootOf(element) {
  return element.shadowRoot ?? closedRoots.get(element) ?? null;
}

/** The children of an element in the flat tree; none of a field that was filled with a secret. @param {Element} element @returns {Node[]} */
export function childrenOf(element) {
  if (isFilled(element)) return [];
  const root = shadowRootOf(element);
  if (root === null && element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes();
    if (assigned.length) return assigned;
  }
  /** @type {Node[]} */
  const children = [];
  for (let child = (root ?? element).firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** The parent of a node in the flat tree. @param {Node} node @returns {Element | null} */
export function parentOf(node) {
  const slot = node instanceof Element || node instanceof Text ? node.assignedSlot : null;
  if (slot) return slot;
  const parent = node.parentNode;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

/** All elements in order, through open and known closed shadow roots. @param {Document | ShadowRoot | Element} root @returns {Generator<Element>} */
export function* everyElement(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = /** @type {Element} */ (node);
    yield element;
    const shadow = shadowRootOf(element);
    if (shadow) yield* everyElement(shadow);
  }
}

/** The elements that an attribute names by id. @param {Element} element @param {string} attribute @returns {Element[]} */
export function referenced(element, attribute) {
  const ids = element.getAttribute(attribute);
  if (!ids) return [];
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  return ids.split(/\s+/).flatMap((id) => (id ? root.getElementById?.(id) ?? [] : []));
}

/** Whether an element is rendered at all (though perhaps scrolled away or transparent). @param {Element} element @returns {boolean} */
export function isRendered(element) {
  if (tagOf(element) === 'OPTION' || tagOf(element) === 'OPTGROUP') {
    const select = element.closest('select');
    return select === null || select.checkVisibility({ visibilityProperty: true });
  }
  if (element.checkVisibility({ visibilityProperty: true })) return true;
  if (styleOf(element).display !== 'contents') return false;
  const parent = parentOf(element);
  return parent === null || isRendered(parent);
}

/** Whether the browser shows a file in a document of its own, in which every part represents the file. */
export function isPdfViewer() {
  return document.contentType === 'application/pdf';
}

/**
 * Text of the ::before and ::after pseudo-elements. Reading it is expensive, so elements with the same tag and classes in a parent
 * with the same classes are taken to be alike once a few of them had none.
 * @param {Element} element @returns {[string, string]}
 */
export function generatedTexts(element) {
  const kind = kindOf(element);
  const times = withoutGeneratedText.get(kind) ?? 0;
  if (times >= MIN_SIMILAR_ELEMENTS) return NO_GENERATED_TEXT;
  const before = generatedText(element, '::before');
  const after = generatedText(element, '::after');
  if (before || after) return [before, after];
  withoutGeneratedText.set(kind, times + 1);
  return NO_GENERATED_TEXT;
}

/** @param {Element} element */
function kindOf(element) {
  const style = styleOf(element);
  style.kind ??= `${element.tagName} ${element.getAttribute('class')} ${element.parentElement?.getAttribute('class')}`;
  return style.kind;
}

/** Whether an element of the same kind, style and id as a few visible ones is taken to be visible too. @param {Element} element @param {string} aspect */
export function isLikeVisibleOnes(element, aspect) {
  return (visibleOnes.get(visibleKind(element, aspect)) ?? 0) >= MIN_SIMILAR_ELEMENTS;
}

/** @param {Element} element @param {string} aspect */
export function noteVisible(element, aspect) {
  const kind = visibleKind(element, aspect);
  visibleOnes.set(kind, (visibleOnes.get(kind) ?? 0) + 1);
}

/** @param {Element} element @param {string} aspect */
function visibleKind(element, aspect) {
  return `${aspect} ${kindOf(element)} ${element.getAttribute('style')} ${element.id}`;
}

/** @param {Element} element @param {'::before' | '::after'} pseudo */
function generatedText(element, pseudo) {
  const style = getComputedStyle(element, pseudo);
  const content = style.content;
  if (content === 'none' || content === 'normal' || content === '' || content[0] !== '"') return '';
  const text = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1].replace(/\\(.)/g, '$1')).join('');
  return style.display === 'none' || style.visibility !== 'visible' ? '' : text;
}

/** The text directly in an element. @param {Element} element */
export function ownText(element) {
  let text = '';
  for (const child of childrenOf(element)) if (child instanceof Text) text += child.data;
  return normalizeText(text);
}

/** Collapses white space and drops the private-use characters of icon fonts. @param {string} text */
export function normalizeText(text) {
  return text.replace(/[\uE000-\uF8FF\u200B\uFEFF\u00AD]|\uDB80[\uDC00-\uDFFF]|[\uDB81-\uDBBF][\uDC00-\uDFFF]/g, '').replace(/\s+/g, ' ').trim();
}

// Results are without these: safe_text.py.
const HIDDEN = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|\uDB40[\uDC00-\uDC7F]|(?<=[\uFE00-\uFE0F])[\uFE00-\uFE0F]/g;

/** A normalized text in the form in which it is compared with what a caller read in a result. @param {string} text */
export function comparableText(text) {
  return text.replace(HIDDEN, '').toLowerCase();
}

/** Never ends with half of a character. @param {string} text @param {number} length */
export function truncate(text, length) {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

/** The element that has the focus, also inside shadow roots. @returns {Element | null} */
export function focusedElement() {
  let focused = document.activeElement;
  for (let root = focused && shadowRootOf(focused); root?.activeElement; root = focused && shadowRootOf(focused)) focused = root.activeElement;
  return focused === document.body ? null : focused;
}
