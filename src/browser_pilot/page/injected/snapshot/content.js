// The page's content as clean HTML: what is drawn, without scripts, styles, drawings and data, shadow roots in place.

/** @typedef {{ left: number }} Room */

const DROPPED_TAGS = new Set(['SVG', 'CANVAS', 'BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'DIALOG', 'OBJECT', 'EMBED', 'AUDIO', 'VIDEO', 'LINK', 'META']);
const FIELD_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
const KEPT_ATTRIBUTES = ['alt', 'title', 'colspan', 'rowspan', 'scope', 'start', 'lang', 'dir', 'datetime', 'cite'];

/**
 * @param {Node} node @param {Document} target @param {Room} room
 * @returns {Node | null}
 */
function copyOf(node, target, room) {
  if (node instanceof Text) {
    room.left -= node.data.length;
    return room.left < 0 ? null : target.createTextNode(node.data);
  }
  if (!(node instanceof Element) || room.left < 0) return null;
  const tag = tagOf(node);
  if (SKIPPED_TAGS.has(tag) || DROPPED_TAGS.has(tag) || lookOf(node).display === 'none') return null;
  if (tag === 'IFRAME' || tag === 'FRAME') return framePlace(node, target);
  const copy = target.createElement(node instanceof HTMLSlotElement || tag.includes('-') ? 'div' : tag.toLowerCase());
  copyAttributes(node, copy);
  for (const child of childrenOf(node)) {
    const copied = copyOf(child, target, room);
    if (copied) copy.append(copied);
  }
  return copy;
}

/** What a field holds, for a caller who asks for the field itself. @param {Element} field @param {Document} target */
function fieldCopy(field, target) {
  const copy = target.createElement('pre');
  copy.textContent = isSecret(field) ? '' : valueOf(field, roleOf(field));
  return copy;
}

/** Where the content of a frame goes. @param {Element} frame @param {Document} target */
function framePlace(frame, target) {
  const number = frameNumbers.get(frame);
  if (number === undefined || frame.clientHeight < 2) return null;
  const place = target.createElement('p');
  place.textContent = `\u2063frame${number}\u2063`;
  return place;
}

/** @param {Element} from @param {Element} to */
function copyAttributes(from, to) {
  for (const name of KEPT_ATTRIBUTES) {
    const value = from.getAttribute(name);
    if (value !== null) to.setAttribute(name, value);
  }
  // Readability and the language of code blocks go by classes and ids.
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
 * @param {{ root?: string | null, article: boolean, maxLength: number }} settings
 * @returns {string} html, title, scope, whether it was cut, and the document
 */
pilot.content = function content(settings) {
  startReading();
  const root = settings.root ? elementOf(settings.root) : document.body ?? document.documentElement;
  const target = document.implementation.createHTMLDocument(document.title);
  const room = { left: settings.maxLength };
  const copy = root instanceof Element && FIELD_TAGS.has(tagOf(root)) ? fieldCopy(root, target) : root && copyOf(root, target, room);
  if (copy instanceof HTMLBodyElement) target.body.replaceWith(copy);
  else if (copy) target.body.append(copy);
  const whole = { html: target.body?.innerHTML ?? '', scope: settings.root ? 'element' : 'page' };
  const article = settings.article && copy ? articleOf(target) : null;
  return JSON.stringify({
    ...(article ?? whole), title: document.title, url: location.href, document: documentToken, cut: room.left < 0, found: root !== null,
  });
};

/** The article of a page, when that is most of what it says. @param {Document} target */
function articleOf(target) {
  const Readability = pilot.libraries.readability;
  if (!Readability) return null;
  const whole = tidy(target.body.textContent ?? '').length;
  const base = target.createElement('base');
  base.href = document.baseURI;
  target.head.append(base);
  const found = new Readability(target, { charThreshold: 200, keepClasses: true }).parse();
  if (!found || tidy(found.textContent ?? '').length < whole * 0.75) return null;
  return { html: found.content, scope: 'article', byline: found.byline ?? '' };
}

/** The document's links, as JSON. @param {number} most */
pilot.links = (most) => {
  const links = [...document.querySelectorAll('a[href]')].slice(0, most);
  return JSON.stringify(
    links
      .filter((link) => link instanceof HTMLAnchorElement && /^https?:$/.test(link.protocol))
      .map((link) => ({ text: (link.textContent ?? '').trim().slice(0, 500), url: /** @type {HTMLAnchorElement} */ (link).href })),
  );
};
