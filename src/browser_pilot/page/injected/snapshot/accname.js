// Accessible names (accname 1.2), and descriptions for what has none.

const LABELLED_TAGS = new Set(['INPUT', 'TEXTAREA', 'SELECT', 'METER', 'PROGRESS', 'OUTPUT', 'BUTTON']);
const NESTED_WIDGETS = new Set(['group', 'menu', 'tree', 'list', 'listbox']);

/** Whether text that is hidden from screen readers but not from eyes counts, as it does in what a person would read. */
let tellsAriaHidden = false;

/**
 * The name that a row shows: the accessible name, and what else a person reads on the thing.
 * @param {Element} element @param {string} role @returns {string}
 */
function shownName(element, role) {
  const name = nameOf(element, role);
  if (!element.firstChild || !NAME_FROM_CONTENT.has(role)) return name;
  const aside = hasWrittenName(element) || element.querySelector('[aria-hidden=true], [aria-label], [aria-labelledby]') !== null;
  if (!aside) return name;
  tellsAriaHidden = true;
  const text = tidy(contentText(element, new Set(), role));
  tellsAriaHidden = false;
  if (!/[\p{L}\p{N}]/u.test(text) || says(name, text)) return name;
  return squeeze(text).includes(squeeze(name)) ? text : `${name} (${text})`;
}

/** Whether a name says a text already; a letter or two are said by a word of their own only. @param {string} name @param {string} text */
function says(name, text) {
  if (text.length <= 2) return name.toLowerCase().split(/[^\p{L}\p{N}]+/u).includes(text.toLowerCase());
  return squeeze(name).includes(squeeze(text));
}

/** @param {string} text */
function squeeze(text) {
  return text.replace(/\s+/g, '').toLowerCase();
}

/** The accessible name of an element. @param {Element} element @param {string} role @returns {string} */
function nameOf(element, role) {
  return tidy(rawName(element, role, new Set(), false));
}

/**
 * @param {Element} element @param {string} role @param {Set<Element>} seen @param {boolean} followed whether a label led here
 * @returns {string}
 */
function rawName(element, role, seen, followed) {
  if (!followed) {
    const labels = referenced(element, 'aria-labelledby');
    if (labels.length) {
      const name = tidy(labels.map((label) => labelText(label, seen)).join(' '));
      if (name) return name;
    }
  }
  const label = element.getAttribute('aria-label')?.trim();
  if (label) return label;
  const native = nativeName(element, seen);
  if (tidy(native)) return native;
  if (NAME_FROM_CONTENT.has(role)) {
    const content = contentText(element, seen, role);
    if (tidy(content)) return content;
  }
  return element.getAttribute('title')?.trim() || placeholderOf(element);
}

/** @param {Element} element */
function placeholderOf(element) {
  return element.getAttribute('placeholder')?.trim() || element.getAttribute('aria-placeholder')?.trim() || '';
}

/** The text of something that labels another thing; hidden labels count. @param {Element} label @param {Set<Element>} seen */
function labelText(label, seen) {
  const role = roleOf(label);
  const written = label.getAttribute('aria-label')?.trim();
  if (written) return written;
  const native = nativeName(label, seen);
  if (tidy(native)) return native;
  return contentText(label, seen, role, !isRendered(label)) || label.getAttribute('title') || '';
}

/** The name that HTML gives an element. @param {Element} element @param {Set<Element>} seen @returns {string} */
function nativeName(element, seen) {
  const tag = tagOf(element);
  if (LABELLED_TAGS.has(tag)) {
    const control = /** @type {HTMLInputElement} */ (element);
    const name = tidy([...(control.labels ?? [])].map((label) => labelText(label, new Set([...seen, element]))).join(' '));
    if (name) return name;
  }
  if (tag === 'INPUT') {
    const input = /** @type {HTMLInputElement} */ (element);
    if (input.type === 'submit') return input.value || (input.hasAttribute('value') ? '' : 'Submit');
    if (input.type === 'reset') return input.value || (input.hasAttribute('value') ? '' : 'Reset');
    if (input.type === 'button') return input.value;
    if (input.type === 'image') return input.alt || input.getAttribute('value') || input.title || 'Submit';
    return '';
  }
  if (tag === 'IMG' || tag === 'AREA') return element.getAttribute('alt') ?? '';
  if (tag === 'SVG') return element.querySelector(':scope > title')?.textContent ?? '';
  const named = NAMING_CHILD[tag];
  if (named) {
    const child = [...element.children].find((candidate) => candidate.tagName === named);
    return child ? contentText(child, seen, 'generic') : '';
  }
  if (tag === 'OPTGROUP' || tag === 'OPTION') return element.getAttribute('label') ?? '';
  return '';
}

const NAMING_CHILD = /** @type {Record<string, string>} */ ({ FIELDSET: 'LEGEND', TABLE: 'CAPTION', FIGURE: 'FIGCAPTION' });

/**
 * The text inside an element as accname gathers it.
 * @param {Element} element @param {Set<Element>} seen @param {string} role @param {boolean} [withHidden] @returns {string}
 */
function contentText(element, seen, role, withHidden = false) {
  if (seen.has(element)) return '';
  seen.add(element);
  const [before, after] = withHidden ? NOTHING_GENERATED : generatedTexts(element);
  let text = before;
  for (const child of childrenOf(element)) {
    if (child instanceof Text) text += child.data;
    else if (child instanceof Element) text += childText(child, seen, role, withHidden);
  }
  if (element.hasAttribute('aria-owns')) {
    for (const owned of referenced(element, 'aria-owns')) text += ` ${childText(owned, seen, role, withHidden)}`;
  }
  return text + after;
}

/** @param {Element} child @param {Set<Element>} seen @param {string} role @param {boolean} withHidden @returns {string} */
function childText(child, seen, role, withHidden) {
  const tag = tagOf(child);
  if (tag === 'BR') return ' ';
  if (SKIPPED_TAGS.has(tag) || seen.has(child)) return '';
  if (!withHidden && ((!tellsAriaHidden && child.getAttribute('aria-hidden') === 'true') || !isRendered(child))) return '';
  const childRole = roleOf(child);
  if (role === 'treeitem' || role === 'menuitem') if (NESTED_WIDGETS.has(childRole)) return '';
  const block = !withHidden && lookOf(child).display !== 'inline' ? ' ' : '';
  if (FIELD_ROLES.has(childRole) || childRole === 'listbox') return ` ${embeddedValue(child, childRole)} `;
  const labels = referenced(child, 'aria-labelledby');
  if (labels.length && !seen.has(child)) return ` ${labels.map((label) => labelText(label, seen)).join(' ')} `;
  const label = child.getAttribute('aria-label')?.trim();
  if (label) return `${block}${label}${block}`;
  const native = nativeName(child, seen);
  // A picture with its name beside it: said once, not twice.
  if (tag === 'IMG' && tidy(native) && tidy(native) === tidy(child.parentElement?.textContent ?? '')) return '';
  if (tidy(native)) return `${block}${native}${block}`;
  const content = contentText(child, seen, role, withHidden);
  return `${block}${tidy(content) ? content : content || child.getAttribute('title') || ''}${block}`;
}

/** A field inside a label stands for its value. @param {Element} field @param {string} role */
function embeddedValue(field, role) {
  return isSecret(field) ? '' : valueOf(field, role) ?? '';
}

/** Words for an element that has no name: its picture, classes, address or colour, or what stands before it. @param {Element} element */
function describe(element) {
  const image = element.matches('img, svg') ? element : element.querySelector('img, svg, use, i[class], span[class]');
  const words =
    pictureWords(image) || iconWords(element) || (image && iconWords(image)) || element.getAttribute('data-testid')
    || element.getAttribute('name') || element.id || addressWords(element) || classWord(element);
  const seen = appearance(element);
  const told = words || seen ? `${words ?? ''} ${seen}` : neighbourText(element);
  return told ? `(${shorten(tidy(told), 40)})` : '';
}

const SHAPES = new Set(['rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'path']);
// Classes that say how something is laid out, not what it is.
const LAYOUT_WORDS = new Set(`active block body box btn button cell center clickable col container content control disabled first flex
  grid group hidden inline inner item last left link list main middle outer panel pointer right row selected text visible widget
  wrap wrapper`.split(/\s+/));

/** The class of an element where it is one plain word, as `star` or `like`. @param {Element} element */
function classWord(element) {
  const classes = [...element.classList];
  if (classes.length > 3) return '';
  return classes.find((name) => /^[a-z]{3,20}$/i.test(name) && !LAYOUT_WORDS.has(name.toLowerCase())) ?? '';
}

/** How a shape of a drawing, or a box that is nothing but its colour, looks. @param {Element} element */
function appearance(element) {
  if (element instanceof SVGElement) {
    if (!SHAPES.has(element.localName)) return '';
    const { fill, stroke } = getComputedStyle(element);
    return `${element.localName} ${hexColour(fill) || hexColour(stroke)}`;
  }
  if (element.childElementCount || !/background/.test(element.getAttribute('style') ?? '')) return '';
  return hexColour(getComputedStyle(element).backgroundColor);
}

/** A computed colour as #rrggbb; nothing for one that lets through what is behind it. @param {string} computed */
function hexColour(computed) {
  const opaque = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(computed);
  return opaque ? `#${opaque.slice(1).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}` : '';
}

/** @param {Element | null} image */
function pictureWords(image) {
  if (!image) return '';
  const title = image.getAttribute('title') || image.querySelector('title')?.textContent;
  if (title) return title;
  const use = image.matches('use') ? image : image.querySelector('use');
  const address = image.getAttribute('src') || use?.getAttribute('href') || use?.getAttribute('xlink:href') || '';
  if (!address || address.startsWith('data:')) return '';
  const last = address.split(/[?#]/)[0].split('/').pop() || '';
  return address.includes('#') && use ? address.split('#').pop() ?? '' : last.replace(/\.\w+$/, '');
}

/** @param {Element} element */
function iconWords(element) {
  const classes = (element.getAttribute('class') ?? '').split(/\s+/);
  const icon = classes.find((name) => /^(fa|icon|bi|mdi|glyphicon|lucide|ti|ri|octicon|codicon|pi)-./.test(name) || /-icon$/.test(name));
  return icon ?? classes.find((name) => /close|menu|search|edit|delete|remove|trash|next|prev|play|cart|user|settings|toggle/i.test(name)) ?? '';
}

/** @param {Element} element */
function addressWords(element) {
  const address = element.getAttribute('href');
  if (!address || address.startsWith('javascript:') || address === '#') return '';
  return address.replace(/^https?:\/\//, '').replace(/[?].*$/, '').split('/').filter(Boolean).pop() ?? '';
}

/** @param {Element} element */
function neighbourText(element) {
  for (let node = element; node.parentElement && node.parentElement !== document.body; node = node.parentElement) {
    const text = tidy(node.parentElement.textContent ?? '');
    if (text && text.length < 60) return `near ${text}`;
    if (text) return '';
  }
  return '';
}
