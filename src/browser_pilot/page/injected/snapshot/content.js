// The page's content as clean HTML: what is rendered, without scripts, styles, drawings and data, shadow roots in place.

import { frameNumberOf } from '../cdp_facts.js';
import { childrenOf, normalizeText, SKIPPED_TAGS, startReading, styleOf, tagOf } from '../dom.js';
import { libraries } from '../libraries.js';
import { pageTitle } from '../mutation_watch.js';
import { documentToken, elementOf } from '../refs.js';
import { fieldValue } from './accname.js';
import { roleOf } from './roles.js';
import { isSecret } from './secret_fields.js';

/** Characters that may still be copied. @typedef {{ left: number }} Budget */

const DROPPED_TAGS = new Set(['SVG', 'CANVAS', 'BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'DIALOG', 'OBJECT', 'EMBED', 'AUDIO', 'VIDEO', 'LINK', 'META']);
const FIELD_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
const KEPT_ATTRIBUTES = ['alt', 'title', 'colspan', 'rowspan', 'scope', 'start', 'lang', 'dir', 'datetime', 'cite'];

/**
 * @param {Node} node @param {Document} target @param {Budget} budget
 * @returns {Node | null}
 */
function copyOf(node, target, budget) {
  if (node instanceof Text) {
    budget.left -= node.data.length;
    return budget.left < 0 ? null : target.createTextNode(node.data);
  }
  if (!(node instanceof Element) || budget.left < 0) return null;
  const tag = tagOf(node);
  if (SKIPPED_TAGS.has(tag) || DROPPED_TAGS.has(tag) || styleOf(node).display === 'none') return null;
  if (tag === 'IFRAME' || tag === 'FRAME') return framePlaceholder(node, target);
  const copy = target.createElement(node instanceof HTMLSlotElement || tag.includes('-') ? 'div' : tag.toLowerCase());
  copyAttributes(node, copy);
  for (const child of childrenOf(node)) {
    const copied = copyOf(child, target, budget);
    if (copied) copy.append(copied);
  }
  return copy;
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
 * @param {{ root?: string | null, article: boolean, maxLength: number }} options
 * @returns {string} html, title, scope, whether it was truncated, and the document
 */
export function readContent(options) {
  startReading();
  const root = options.root ? elementOf(options.root) : document.body ?? document.documentElement;
  const target = document.implementation.createHTMLDocument(document.title);
  const budget = { left: options.maxLength };
  const copy = root instanceof Element && FIELD_TAGS.has(tagOf(root)) ? fieldCopy(root, target) : root && copyOf(root, target, budget);
  if (copy instanceof HTMLBodyElement) target.body.replaceWith(copy);
  else if (copy) target.body.append(copy);
  const whole = { html: target.body?.innerHTML ?? '', scope: options.root ? 'element' : 'page' };
  const article = options.article && copy ? articleOf(target) : null;
  return JSON.stringify({
    ...(article ?? whole), title: pageTitle(), url: location.href, document: documentToken, truncated: budget.left < 0, found: root !== null,
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
