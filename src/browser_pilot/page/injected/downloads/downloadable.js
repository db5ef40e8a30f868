// What there is to save of an element, as a person would mean it: its picture, its video, what its link leads to.

/** Where to get it (`url`), or what draws it here (`ref`); `name` is what the page would call the file.
 * @typedef {{ url?: string, ref?: string, name?: string, many?: number }} Resource */

const MEDIA = 'img,video,audio,canvas,svg,embed,object,iframe[src],input[type=image]';
const NO_FILES = /^(javascript|mailto|tel|about|chrome|edge):/i;
const CSS_URL = /url\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^)'"]*))\s*\)/;

/** Null when the element is gone; `{}` when there is nothing to save. @param {string} ref @returns {Resource | null} */
pilot.resourceOf = function resourceOf(ref) {
  const element = elementOf(ref);
  if (!element) return null;
  const link = element.closest('a[href],area[href]');
  return ofItself(element) ?? onlyOne(element, MEDIA) ?? ofStyle(element) ?? (link && ofItself(link)) ?? onlyOne(element, 'a[href]') ?? {};
};

/** Whether the browser shows a file here in a page of its own making, of which every part stands for the file. */
pilot.isViewer = () => document.contentType === 'application/pdf';

/** @param {Element} element @returns {Resource | null} */
function ofItself(element) {
  const page = document.contentType === 'text/html' ? null : at(location.href);
  switch (tagOf(element)) {
    case 'IMG':
      return ofImage(/** @type {HTMLImageElement} */ (element));
    case 'PICTURE':
      return ofInner(element, 'img');
    case 'SOURCE':
      return element.parentElement?.localName === 'picture' ? ofItself(element.parentElement) : at(attribute(element, 'src'));
    case 'VIDEO':
    case 'AUDIO': {
      const media = /** @type {HTMLMediaElement} */ (element);
      return at(media.currentSrc || media.src) ?? ofInner(element, 'source[src]');
    }
    case 'A':
    case 'AREA':
      return at(attribute(element, 'href'), /** @type {HTMLAnchorElement} */ (element).download);
    case 'EMBED':
    case 'OBJECT':
      // A viewer of the browser's own, such as the one for PDF, shows the page's own address.
      return at(attribute(element, 'src') || attribute(element, 'data')) ?? page;
    case 'IFRAME':
    case 'FRAME':
    case 'TRACK':
    case 'SCRIPT':
      return at(attribute(element, 'src'));
    case 'LINK':
      return at(attribute(element, 'href'));
    case 'INPUT':
      return element.getAttribute('type')?.toLowerCase() === 'image' ? at(attribute(element, 'src')) : null;
    case 'IMAGE':
      return at(attribute(element, 'href') || attribute(element, 'xlink:href'));
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
  const listed = image.srcset.trim().split(/\s+/)[0];
  return at(image.currentSrc || image.src || listed || image.dataset.src || '');
}

/** @param {Element} element @param {string} selector */
function ofInner(element, selector) {
  const inner = element.querySelector(selector);
  return inner && ofItself(inner);
}

/** What an element holds, if that is one thing; how many, if it is more. @param {Element} element @param {string} selector @returns {Resource | null} */
function onlyOne(element, selector) {
  const found = new Map();
  for (const root of [element, rootOf(element)]) {
    for (const inner of root?.querySelectorAll(selector) ?? []) {
      const resource = ofItself(inner);
      if (resource) found.set(resource.url ?? resource.ref, resource);
    }
  }
  if (found.size > 1) return { many: found.size };
  return found.size === 1 ? [...found.values()][0] : null;
}

/** Pictures that style rules put behind, before or in place of an element. @param {Element} element */
function ofStyle(element) {
  for (const part of [null, '::before', '::after']) {
    const style = getComputedStyle(element, part);
    for (const value of [style.backgroundImage, style.content, style.listStyleImage, style.maskImage, style.borderImageSource]) {
      const match = CSS_URL.exec(value ?? '');
      const resource = match && at((match[1] ?? match[2] ?? match[3]).replace(/\\(.)/g, '$1'));
      if (resource) return resource;
    }
  }
  return null;
}

/** @param {Element} element @param {string} name */
function attribute(element, name) {
  return element.getAttribute(name) ?? '';
}

/** @param {string} address @param {string} [name] @returns {Resource | null} */
function at(address, name) {
  if (!address.trim() || address.trim().startsWith('#')) return null;
  try {
    const url = new URL(address, document.baseURI).href;
    return NO_FILES.test(url) ? null : { url, ...(name ? { name } : {}) };
  } catch {
    return null;
  }
}
