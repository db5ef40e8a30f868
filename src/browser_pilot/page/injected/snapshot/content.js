// The page's content as clean HTML: what is rendered, without scripts, styles, drawings and data, shadow roots in place.

import { frameNumberOf } from '../cdp_facts.js';
import { childrenOf, normalizeText, parentOf, SKIPPED_TAGS, startReading, styleOf, tagOf } from '../dom.js';
import { libraries } from '../libraries.js';
import { pageTitle } from '../mutation_watch.js';
import { documentToken, elementOf } from '../refs.js';
import { fieldValue } from './accname.js';
import { concealedTextState } from './concealed_text.js';
import { roleOf } from './roles.js';
import { isSecret } from './secret_fields.js';
import { hidingAt, hidingOf } from './visual_hiding.js';

/** @import { Hiding } from './visual_hiding.js' */

/** Characters that may still be copied, and the texts that nobody can see: copied with a mark, or counted and left out.
 * @typedef {{ left: number, withConcealed: boolean, texts: number, characters: number }} Budget */

const DROPPED_TAGS = new Set(['SVG', 'CANVAS', 'BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'DIALOG', 'OBJECT', 'EMBED', 'AUDIO', 'VIDEO', 'LINK', 'META']);
const REPLACED_TAGS = new Set(['IMG', 'PICTURE', 'IFRAME', 'FRAME']);
const FIELD_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
const KEPT_ATTRIBUTES = ['alt', 'title', 'colspan', 'rowspan', 'scope', 'start', 'lang', 'dir', 'datetime', 'cite'];

/**
 * @param {Node} node @param {Document} target @param {Budget} budget @param {Hiding} hiding that of the node's parent
 * @returns {Node | null}
 */
function copyOf(node, target, budget, hiding) {
  if (node instanceof Text) {
    if (!isConcealed(node, hiding.state !== '')) {
      budget.left -= node.data.length;
      return budget.left < 0 ? null : target.createTextNode(node.data);
    }
    budget.texts++;
    budget.characters += normalizeText(node.data).length;
    if (!budget.withConcealed) return null;
    budget.left -= node.data.length;
    return budget.left < 0 ? null : target.createTextNode(` [concealed: ${normalizeText(node.data)}] `);
  }
  if (!(node instanceof Element) || budget.left < 0) return null;
  const tag = tagOf(node);
  if (SKIPPED_TAGS.has(tag) || DROPPED_TAGS.has(tag) || styleOf(node).display === 'none') return null;
  const style = styleOf(node);
  const inner = hidingOf(node, style, hiding);
  if (inner.state && !budget.withConcealed && REPLACED_TAGS.has(tag)) return null;
  if (tag === 'IFRAME' || tag === 'FRAME') return framePlaceholder(node, target);
  const copy = target.createElement(node instanceof HTMLSlotElement || tag.includes('-') ? 'div' : tag.toLowerCase());
  copyAttributes(node, copy);
  for (const child of childrenOf(node)) {
    const copied = copyOf(child, target, budget, inner);
    if (copied) copy.append(copied);
  }
  return copy;
}

/** Whether nobody can see a text. @param {Text} text @param {boolean} hidden */
function isConcealed(text, hidden) {
  if (text.data.trim() === '') return false;
  const parent = parentOf(text);
  if (hidden || parent === null) return hidden;
  const style = styleOf(parent);
  return !style.visible || concealedTextState(parent, style) !== '';
}

/** The value of a field, when the field itself is the root. @param {Element} field @param {Document} target */
function fieldCopy(field, target) {
  const copy = target.createElement('pre');
  copy.textContent = isSecret(field) ? '' : fieldValue(field, roleOf(field));
  return copy;
}

/** Marks where Python inserts the content of a frame. @param {Element} frame @param {Document} target */
function framePlaceholder(frame, target) {
  const number = frameNumberOf(frame);
  if (number === undefined || frame.clientHeight < 2) return null;
  const placeholder = target.createElement('p');
  placeholder.textContent = `\u2063frame${number}\u2063`;
  return placeholder;
}

/** @param {Element} from @param {Element} to */
function copyAttributes(from, to) {
  for (const name of KEPT_ATTRIBUTES) {
    const value = from.getAttribute(name);
    if (value !== null) to.setAttribute(name, value);
  }
  // Readability and the language of code blocks depend on classes and ids.
  for (const name of ['class', 'id']) {
    const value = from.getAttribute(name);
    if (value) to.setAttribute(name, value);
  }
  if (from instanceof HTMLAnchorElement && from.href && !from.href.startsWith('javascript:')) to.setAttribute('href', from.href);
  if (from instanceof HTMLImageElement) {
    const source = from.currentSrc || from.src;
    if (source && !source.startsWith('data:') && !source.startsWith('blob:')) to.setAttribute('src', source);
  }
}

/**
 * @param {{ root?: string | null, article: boolean, maxLength: number, concealed?: boolean }} options
 * @returns {string} html, title, scope, whether it was truncated, the concealed texts, and the document
 */
export function readContent(options) {
  startReading();
  const root = options.root ? elementOf(options.root) : document.body ?? document.documentElement;
  const target = document.implementation.createHTMLDocument(document.title);
  const budget = { left: options.maxLength, withConcealed: options.concealed === true, texts: 0, characters: 0 };
  const copy = root instanceof Element && FIELD_TAGS.has(tagOf(root)) ? fieldCopy(root, target) : root && copyOf(root, target, budget, hidingAt(parentOf(root)));
  if (copy instanceof HTMLBodyElement) target.body.replaceWith(copy);
  else if (copy) target.body.append(copy);
  const whole = { html: target.body?.innerHTML ?? '', scope: options.root ? 'element' : 'page' };
  const article = options.article && copy ? articleOf(target) : null;
  return JSON.stringify({
    ...(article ?? whole), title: pageTitle(), url: location.href, document: documentToken, truncated: budget.left < 0, found: root !== null,
    concealedTexts: budget.texts, concealedCharacters: budget.characters,
  });
}

/** The article of a page, when it has most of the text. @param {Document} target */
function articleOf(target) {
  const Readability = libraries.readability;
  if (!Readability) return null;
  const whole = normalizeText(target.body.textContent ?? '').length;
  const base = target.createElement('base');
  base.href = document.baseURI;
  target.head.append(base);
  const found = new Readability(target, { charThreshold: 200, keepClasses: true }).parse();
  if (!found || normalizeText(found.textContent ?? '').length < whole * 0.75) return null;
  return { html: found.content, scope: 'article', byline: found.byline ?? '' };
}

/** The document's links, as JSON. @param {number} maxLinks */
export function readLinks(maxLinks) {
  const links = [...document.querySelectorAll('a[href]')].slice(0, maxLinks);
  return JSON.stringify(
    links
      .filter((link) => link instanceof HTMLAnchorElement && /^https?:$/.test(link.protocol))
      .map((link) => ({ text: (link.textContent ?? '').trim().slice(0, 500), url: /** @type {HTMLAnchorElement} */ (link).href })),
  );
}
