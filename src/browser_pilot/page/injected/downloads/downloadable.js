// Finds what to download for an element: its image, its video, the target of its link.

import { shadowRootOf, tagOf } from '../dom.js';
import { elementOf, refOf } from '../refs.js';

/** Its URL, or the ref of the element that renders it; `name` is the page's name for the file, `many` how many candidates there are,
 * `note` what the agent should know of it.
 * @typedef {{ url?: string, ref?: string, name?: string, many?: number, referrerPolicy?: string, note?: string }} Downloadable */

const MEDIA = 'img,video,audio,canvas,svg,embed,object,iframe[src],input[type=image]';
const REFERRER_POLICY = /^(no-referrer|no-referrer-when-downgrade|origin|origin-when-cross-origin|same-origin|strict-origin|strict-origin-when-cross-origin|unsafe-url)$/i;
const NOT_DOWNLOADABLE = /^(javascript|mailto|tel|about|chrome|edge):/i;
/** Where scripts that load images late keep their URL, until the image comes into view. */
const LAZY_SOURCES = ['data-src', 'data-lazy-src', 'data-original', 'data-lazy', 'data-url'];
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset'];
const MAX_PLACEHOLDER_PIXELS = 2;
const CSS_URL = /url\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^)'"]*))\s*\)/;

/** Null when the element is gone; `{}` when there is nothing to download. @param {string} ref @returns {Downloadable | null} */
export function findDownloadable(ref) {
  const element = elementOf(ref);
  if (!element) return null;
  const link = element.closest('a[href],area[href]');
  return withPolicy(element) ?? onlyDescendant(element, MEDIA) ?? ofStyles(element) ?? (link && withPolicy(link)) ?? onlyDescendant(element, 'a[href]') ?? {};
}

/** What the element itself shows, with its own referrer policy. @param {Element} element @returns {Downloadable | null} */
function withPolicy(element) {
  const found = ofElement(element);
  const policy = element.getAttribute('referrerpolicy') ?? '';
  return found && REFERRER_POLICY.test(policy) ? { ...found, referrerPolicy: policy.toLowerCase() } : found;
}

/** @param {Element} element @returns {Downloadable | null} */
function ofElement(element) {
  const page = document.contentType === 'text/html' ? null : atUrl(location.href);
  switch (tagOf(element)) {
    case 'IMG':
      return ofImage(/** @type {HTMLImageElement} */ (element));
    case 'PICTURE':
      return ofDescendant(element, 'img');
    case 'SOURCE':
      return element.parentElement?.localName === 'picture' ? ofElement(element.parentElement) : atUrl(attribute(element, 'src'));
    case 'VIDEO':
    case 'AUDIO': {
      const media = /** @type {HTMLMediaElement} */ (element);
      const source = atUrl(media.currentSrc || media.src) ?? ofDescendant(element, 'source[src]');
      return source ?? withNote(atUrl(attribute(element, 'poster')), 'The video has no source yet: this is its poster.');
    }
    case 'A':
    case 'AREA':
      return atUrl(attribute(element, 'href'), /** @type {HTMLAnchorElement} */ (element).download);
    case 'EMBED':
    case 'OBJECT':
      // The browser's own viewer, such as the one for PDF, shows the URL of the page itself.
      return atUrl(attribute(element, 'src') || attribute(element, 'data')) ?? page;
    case 'IFRAME':
    case 'FRAME':
    case 'TRACK':
    case 'SCRIPT':
      return atUrl(attribute(element, 'src'));
    case 'LINK':
      return atUrl(attribute(element, 'href'));
    case 'INPUT':
      return element.getAttribute('type')?.toLowerCase() === 'image' ? atUrl(attribute(element, 'src')) : null;
    case 'IMAGE':
      return atUrl(attribute(element, 'href') || attribute(element, 'xlink:href'));
    case 'CANVAS':
      return { ref: refOf(element, 'canvas', '') };
    case 'HTML':
    case 'BODY':
      return page;
    default: {
      const drawing = element.closest('svg');
      return drawing ? { ref: refOf(drawing, 'img', '') } : null;
    }
  }
}

/** @param {HTMLImageElement} image */
function ofImage(image) {
  const listed = firstOfSet(image.srcset);
  const shown = atUrl(image.currentSrc || image.src || listed);
  if (shown && !isPlaceholder(image)) return shown;
  const lazy = LAZY_SOURCES.map((name) => attribute(image, name)).find(Boolean) || LAZY_SETS.map((name) => firstOfSet(attribute(image, name))).find(Boolean);
  const later = lazy ? atUrl(lazy) : null;
  if (later) return shown ? withNote(later, 'The page shows a placeholder: this is the image that it loads later.') : later;
  const loadsLate = image.loading === 'lazy' || /\blazy/i.test(image.className);
  return loadsLate ? withNote(shown, 'This may be a placeholder: scroll to the image, then download it again.') : shown;
}

/** @param {string} set */
function firstOfSet(set) {
  return set.trim().split(/[\s,]+/)[0] ?? '';
}

/** Whether an image that loads late shows something else until then. @param {HTMLImageElement} image */
function isPlaceholder(image) {
  const shown = image.currentSrc || image.src;
  const isTiny = image.complete && image.naturalWidth <= MAX_PLACEHOLDER_PIXELS && image.naturalHeight <= MAX_PLACEHOLDER_PIXELS;
  const named = LAZY_SOURCES.some((name) => atUrl(attribute(image, name))?.url === shown);
  return !shown || (!named && (isTiny || /^data:/i.test(shown)));
}

/** @param {Downloadable | null} found @param {string} note @returns {Downloadable | null} */
function withNote(found, note) {
  return found && { ...found, note };
}

/** @param {Element} element @param {string} selector */
function ofDescendant(element, selector) {
  const inner = element.querySelector(selector);
  return inner && withPolicy(inner);
}

/** The only downloadable inside an element; how many, if there are more. @param {Element} element @param {string} selector @returns {Downloadable | null} */
function onlyDescendant(element, selector) {
  const candidates = new Map();
  for (const root of [element, shadowRootOf(element)]) {
    for (const inner of root?.querySelectorAll(selector) ?? []) {
      const found = withPolicy(inner);
      if (found) candidates.set(found.url ?? found.ref, found);
    }
  }
  if (candidates.size > 1) return { many: candidates.size };
  return candidates.size === 1 ? [...candidates.values()][0] : null;
}

/** Images that CSS puts behind, before or in place of an element. @param {Element} element */
function ofStyles(element) {
  for (const part of [null, '::before', '::after']) {
    const style = getComputedStyle(element, part);
    for (const value of [style.backgroundImage, style.content, style.listStyleImage, style.maskImage, style.borderImageSource]) {
      const match = CSS_URL.exec(value ?? '');
      const found = match && atUrl((match[1] ?? match[2] ?? match[3]).replace(/\\(.)/g, '$1'));
      if (found) return found;
    }
  }
  return null;
}

/** @param {Element} element @param {string} name */
function attribute(element, name) {
  return element.getAttribute(name) ?? '';
}

/** @param {string} reference @param {string} [name] @returns {Downloadable | null} */
function atUrl(reference, name) {
  if (!reference.trim() || reference.trim().startsWith('#')) return null;
  try {
    const url = new URL(reference, document.baseURI).href;
    return NOT_DOWNLOADABLE.test(url) ? null : { url, ...(name ? { name } : {}) };
  } catch {
    return null;
  }
}
