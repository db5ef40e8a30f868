// The DOM as an indented tree of what is rendered: controls, media, headings and elements with text of their own.

import { frameNumberOf } from '../cdp_facts.js';
import { childrenOf, ownText, parentOf, SKIPPED_TAGS, startReading, styleOf, tagOf, truncate } from '../dom.js';
import { boxOf } from '../geometry.js';
import { documentToken, elementOf, lastRef, refOf } from '../refs.js';
import { accessibleName, visibleName } from './accname.js';
import { isClickable } from './clickable.js';
import { concealedTextState } from './concealed_text.js';
import { fallbackName } from './fallback_name.js';
import { ATOMIC_ROLES, FIELD_ROLES, roleOf } from './roles.js';
import { hidingAt, hidingOf, markOf } from './visual_hiding.js';

/** @import { StyleInfo } from '../dom.js' */
/** @import { Hiding } from './visual_hiding.js' */

const MEDIA_TAGS = new Set(['IMG', 'VIDEO', 'AUDIO', 'CANVAS', 'SVG', 'IFRAME', 'FRAME', 'EMBED', 'OBJECT', 'PICTURE']);
const MAX_NODE_NAME_LENGTH = 80;

/**
 * @param {{ maxNodes: number, root?: string | null }} options
 * @returns {string} nodes as depth, tag, name, ref, box, frame and hidden state, and how many were left out
 */
export function domTree(options) {
  startReading();
  /** @type {unknown[][]} */
  const nodes = [];
  let left = 0;
  const root = options.root ? elementOf(options.root) : document.body ?? document.documentElement;

  /** @param {Element} element @param {number} depth @param {Hiding} parent */
  function visit(element, depth, parent) {
    const tag = tagOf(element);
    if (SKIPPED_TAGS.has(tag)) return;
    const style = styleOf(element);
    if (style.display === 'none') return;
    const hiding = hidingOf(element, style, parent);
    let inner = depth;
    if (style.visible && isShownInTree(element, tag)) {
      inner++;
      if (nodes.length >= options.maxNodes) left++;
      else nodes.push(treeNode(element, tag, depth, markOf(hiding.state, isClickable(element)) || textState(element, style)));
    }
    if (tag === 'SVG' || tag === 'SELECT') return;
    for (const child of childrenOf(element)) if (child instanceof Element) visit(child, inner, hiding);
  }

  if (root) visit(root, 0, hidingAt(parentOf(root)));
  return JSON.stringify({ document: documentToken, found: root !== null, nodes, left, lastRef: lastRef() });
}

/** @param {Element} element @param {string} tag */
function isShownInTree(element, tag) {
  if (MEDIA_TAGS.has(tag) || isClickable(element)) return true;
  const role = roleOf(element);
  return role !== 'generic' && role !== 'row' && role !== 'rowgroup' ? true : ownText(element) !== '';
}

/** Why the text of an element cannot be seen, if it has some. @param {Element} element @param {StyleInfo} style */
function textState(element, style) {
  return ownText(element) ? concealedTextState(element, style) : '';
}

/** @param {Element} element @param {string} tag @param {number} depth @param {string} hidden */
function treeNode(element, tag, depth, hidden) {
  const role = roleOf(element);
  const atomic = ATOMIC_ROLES.has(role) || FIELD_ROLES.has(role);
  const name = (atomic ? visibleName(element, role) : '') || ownText(element) || (atomic ? fallbackName(element) : accessibleName(element, 'generic'));
  const shown = truncate(name, MAX_NODE_NAME_LENGTH);
  return [depth, tag.toLowerCase(), shown, refOf(element, role, shown), boxOf(element), frameNumberOf(element) ?? null, hidden];
}
