// The DOM as an indented tree of what is drawn: controls, media, headings and whatever has text of its own.

const MEDIA_TAGS = new Set(['IMG', 'VIDEO', 'AUDIO', 'CANVAS', 'SVG', 'IFRAME', 'FRAME', 'EMBED', 'OBJECT', 'PICTURE']);
const TREE_NAME_LENGTH = 80;

/**
 * @param {{ maxNodes: number, root?: string | null }} settings
 * @returns {string} nodes as depth, tag, name, ref, box and frame, and how many were left out
 */
pilot.tree = function tree(settings) {
  startReading();
  focused = focusedElement();
  /** @type {unknown[][]} */
  const nodes = [];
  let left = 0;
  const root = settings.root ? elementOf(settings.root) : document.body ?? document.documentElement;

  /** @param {Element} element @param {number} depth */
  function grow(element, depth) {
    const tag = tagOf(element);
    if (SKIPPED_TAGS.has(tag)) return;
    const look = lookOf(element);
    if (look.display === 'none') return;
    let inner = depth;
    if (look.visible && isWorthANode(element, tag)) {
      inner++;
      if (nodes.length >= settings.maxNodes) left++;
      else nodes.push(treeNode(element, tag, depth));
    }
    if (tag === 'SVG' || tag === 'SELECT') return;
    for (const child of childrenOf(element)) if (child instanceof Element) grow(child, inner);
  }

  if (root) grow(root, 0);
  return JSON.stringify({ document: documentToken, found: root !== null, nodes, left, lastRef: nextRef - 1 });
};

/** @param {Element} element @param {string} tag */
function isWorthANode(element, tag) {
  if (MEDIA_TAGS.has(tag) || isClickable(element)) return true;
  const role = roleOf(element);
  return role !== 'generic' && role !== 'row' && role !== 'rowgroup' ? true : ownText(element) !== '';
}

/** The text directly in an element. @param {Element} element */
function ownText(element) {
  let text = '';
  for (const child of childrenOf(element)) if (child instanceof Text) text += child.data;
  return tidy(text);
}

/** @param {Element} element @param {string} tag @param {number} depth */
function treeNode(element, tag, depth) {
  const role = roleOf(element);
  const atomic = ATOMIC_ROLES.has(role) || FIELD_ROLES.has(role);
  const name = shorten((atomic ? shownName(element, role) : '') || ownText(element) || (atomic ? describe(element) : nameOf(element, 'generic')), TREE_NAME_LENGTH);
  return [depth, tag.toLowerCase(), name, refOf(element, role, name), boxOf(element), frameNumbers.get(element) ?? null];
}
