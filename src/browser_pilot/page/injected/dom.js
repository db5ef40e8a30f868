// The composed tree as a person sees it: shadow roots and slots in place, styles read once per walk.

/** What a walk needs to know of every element's style; the rest is read from `style` where it matters.
 * @typedef {{ style: CSSStyleDeclaration, display: string, visible: boolean, cursor: string, opacity: string, position: string }} Look */

const SKIPPED_TAGS = new Set([
  'SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'BASE', 'PARAM', 'SOURCE', 'TRACK', 'COL',
  'COLGROUP', 'DATALIST', 'RP', 'DEFS', 'SYMBOL', 'CLIPPATH', 'MASK', 'FILTER', 'METADATA', 'LINEARGRADIENT',
  'RADIALGRADIENT', 'PATTERN', 'NOFRAMES',
]);

/** Closed shadow roots that the debugger has opened for us. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/** @type {Map<Element, Look>} */
let looks = new Map();
/** Elements that aria-owns has moved elsewhere. @type {Set<Element>} */
let ownedElsewhere = new Set();

/** Forgets what was read in the last walk; to be called before each reading of the page. */
function startReading() {
  looks = new Map();
  ungenerated = new Map();
  ownedElsewhere = new Set();
  if (document.querySelector('[aria-owns]')) {
    for (const owner of document.querySelectorAll('[aria-owns]')) {
      for (const owned of referenced(owner, 'aria-owns')) if (!owned.contains(owner)) ownedElsewhere.add(owned);
    }
  }
}

/** @param {Element} element @returns {Look} */
function lookOf(element) {
  let look = looks.get(element);
  if (look === undefined) {
    const style = getComputedStyle(element);
    look = {
      style,
      display: style.display,
      visible: style.visibility === 'visible',
      cursor: style.cursor,
      opacity: style.opacity,
      position: style.position,
    };
    looks.set(element, look);
  }
  return look;
}

/** Tag name in capitals, also for SVG and XHTML. @param {Element} element */
function tagOf(element) {
  return element.tagName.toUpperCase();
}

/** @param {Element} element @returns {ShadowRoot | null} */
function rootOf(element) {
  return element.shadowRoot ?? closedRoots.get(element) ?? null;
}

/** The nodes that stand inside an element on the screen. @param {Element} element @returns {Node[]} */
function childrenOf(element) {
  const root = rootOf(element);
  if (root === null && element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes();
    if (assigned.length) return assigned;
  }
  /** @type {Node[]} */
  const children = [];
  for (let child = (root ?? element).firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** The element that an element stands in on the screen. @param {Node} node @returns {Element | null} */
function parentOf(node) {
  const slot = node instanceof Element || node instanceof Text ? node.assignedSlot : null;
  if (slot) return slot;
  const parent = node.parentNode;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

/** The elements that an attribute names by id. @param {Element} element @param {string} attribute @returns {Element[]} */
function referenced(element, attribute) {
  const ids = element.getAttribute(attribute);
  if (!ids) return [];
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  return ids.split(/\s+/).flatMap((id) => (id ? root.getElementById?.(id) ?? [] : []));
}

/** Whether an element is drawn at all (though perhaps scrolled away or transparent). @param {Element} element @returns {boolean} */
function isRendered(element) {
  if (tagOf(element) === 'OPTION' || tagOf(element) === 'OPTGROUP') {
    const select = element.closest('select');
    return select === null || select.checkVisibility({ visibilityProperty: true });
  }
  if (element.checkVisibility({ visibilityProperty: true })) return true;
  if (lookOf(element).display !== 'contents') return false;
  const parent = parentOf(element);
  return parent === null || isRendered(parent);
}

/** How often elements of one kind had no generated text in this walk. @type {Map<string, number>} */
let ungenerated = new Map();
const ALIKE_ENOUGH = 3;

/**
 * Text that style rules put before and after an element's content. Reading it is dear, so that elements with the same tag and
 * classes in a parent of the same classes are taken to be alike once a few of them had none.
 * @param {Element} element @returns {[string, string]}
 */
function generatedTexts(element) {
  const kind = `${element.tagName} ${element.getAttribute('class')} ${element.parentElement?.getAttribute('class')}`;
  const times = ungenerated.get(kind) ?? 0;
  if (times >= ALIKE_ENOUGH) return NOTHING_GENERATED;
  const before = generatedText(element, '::before');
  const after = generatedText(element, '::after');
  if (before || after) return [before, after];
  ungenerated.set(kind, times + 1);
  return NOTHING_GENERATED;
}

const NOTHING_GENERATED = /** @type {[string, string]} */ (['', '']);

/** @param {Element} element @param {'::before' | '::after'} which */
function generatedText(element, which) {
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (content === 'none' || content === 'normal' || content === '' || content[0] !== '"') return '';
  const text = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1].replace(/\\(.)/g, '$1')).join('');
  return style.display === 'none' || style.visibility !== 'visible' ? '' : text;
}

/** Collapses white space and drops the private characters by which icon fonts draw. @param {string} text */
function tidy(text) {
  return text.replace(/[\uE000-\uF8FF\u200B\uFEFF\u00AD]|\uDB80[\uDC00-\uDFFF]|[\uDB81-\uDBBF][\uDC00-\uDFFF]/g, '').replace(/\s+/g, ' ').trim();
}

/** @param {string} text @param {number} length */
function shorten(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The element that has the focus, also inside shadow roots. @returns {Element | null} */
function focusedElement() {
  let focused = document.activeElement;
  for (let root = focused && rootOf(focused); root?.activeElement; root = focused && rootOf(focused)) focused = root.activeElement;
  return focused === document.body ? null : focused;
}
