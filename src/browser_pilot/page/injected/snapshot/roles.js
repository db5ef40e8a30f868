// ARIA roles: what the author wrote, or what the element is by nature.

const INPUT_ROLES = /** @type {Record<string, string>} */ ({
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file', date: 'date', time: 'time', month: 'month',
  week: 'week', 'datetime-local': 'datetime', color: 'color',
});

const TAG_ROLES = /** @type {Record<string, string>} */ ({
  BUTTON: 'button', SUMMARY: 'button', TEXTAREA: 'textbox', OPTION: 'option', PROGRESS: 'progressbar', METER: 'meter',
  H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', H5: 'heading', H6: 'heading', NAV: 'navigation',
  MAIN: 'main', ASIDE: 'complementary', DIALOG: 'dialog', TABLE: 'table', TR: 'row', TD: 'cell', TH: 'columnheader', UL: 'list',
  OL: 'list', MENU: 'list', LI: 'listitem', DT: 'term', DD: 'definition', ARTICLE: 'article', FIELDSET: 'group', DETAILS: 'group',
  OPTGROUP: 'group', HR: 'separator', SEARCH: 'search', FIGURE: 'figure', IFRAME: 'iframe', FRAME: 'iframe', VIDEO: 'video',
  AUDIO: 'audio', CANVAS: 'canvas', EMBED: 'embed', OBJECT: 'object', OUTPUT: 'status', BLOCKQUOTE: 'blockquote', PRE: 'generic',
  CODE: 'generic', P: 'paragraph', ADDRESS: 'group',
});

const KNOWN_ROLES = new Set([
  'alert', 'alertdialog', 'application', 'article', 'banner', 'blockquote', 'button', 'caption', 'cell', 'checkbox', 'code',
  'columnheader', 'combobox', 'complementary', 'contentinfo', 'definition', 'deletion', 'dialog', 'directory', 'document',
  'emphasis', 'feed', 'figure', 'form', 'generic', 'grid', 'gridcell', 'group', 'heading', 'img', 'image', 'insertion', 'link', 'list',
  'listbox', 'listitem', 'log', 'main', 'marquee', 'math', 'menu', 'menubar', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
  'meter', 'navigation', 'none', 'note', 'option', 'paragraph', 'presentation', 'progressbar', 'radio', 'radiogroup', 'region', 'row',
  'rowgroup', 'rowheader', 'scrollbar', 'search', 'searchbox', 'separator', 'slider', 'spinbutton', 'status', 'strong', 'subscript',
  'superscript', 'switch', 'tab', 'table', 'tablist', 'tabpanel', 'term', 'textbox', 'time', 'timer', 'toolbar', 'tooltip', 'tree',
  'treegrid', 'treeitem',
]);

const FIELD_ROLES = new Set([
  'textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'file', 'date', 'time', 'month', 'week', 'datetime', 'color',
]);
const TOGGLE_ROLES = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
const WIDGET_ROLES = new Set([
  ...FIELD_ROLES, ...TOGGLE_ROLES, 'button', 'link', 'tab', 'menuitem', 'option', 'treeitem', 'scrollbar',
]);
const NAME_FROM_CONTENT = new Set([
  'button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
  'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip', 'treeitem',
]);

/** The first role that the author gave and that exists. @param {Element} element */
function writtenRole(element) {
  const written = element.getAttribute('role');
  if (!written) return '';
  for (const role of written.toLowerCase().split(/\s+/)) if (KNOWN_ROLES.has(role)) return role === 'image' ? 'img' : role;
  return '';
}

/** @param {Element} element */
function isEditable(element) {
  const written = element.getAttribute('contenteditable');
  return written !== null && written !== 'false' && element instanceof HTMLElement && element.isContentEditable;
}

/** The role of an element; 'generic' when it has none. @param {Element} element @returns {string} */
function roleOf(element) {
  const written = writtenRole(element);
  if (written && written !== 'none' && written !== 'presentation') return written;
  if (written && !element.hasAttribute('tabindex') && !isFocusableByNature(element)) return 'generic';
  return naturalRole(element);
}

/** @param {Element} element */
function isFocusableByNature(element) {
  const tag = tagOf(element);
  if (tag === 'A' || tag === 'AREA') return element.hasAttribute('href');
  return tag === 'BUTTON' || tag === 'INPUT' || tag === 'SELECT' || tag === 'TEXTAREA' || tag === 'SUMMARY' || tag === 'IFRAME';
}

/** @param {Element} element @returns {string} */
function naturalRole(element) {
  const tag = tagOf(element);
  switch (tag) {
    case 'A':
    case 'AREA':
      return element.hasAttribute('href') || element.hasAttribute('xlink:href') ? 'link' : 'generic';
    case 'INPUT': {
      const input = /** @type {HTMLInputElement} */ (element);
      if (input.type === 'hidden') return 'generic';
      const role = INPUT_ROLES[input.type] ?? 'textbox';
      return input.list && (role === 'textbox' || role === 'searchbox') ? 'combobox' : role;
    }
    case 'SELECT': {
      const select = /** @type {HTMLSelectElement} */ (element);
      return select.multiple || select.size > 1 ? 'listbox' : 'combobox';
    }
    case 'IMG':
      return element.getAttribute('alt') === '' && !element.hasAttribute('title') && !element.hasAttribute('aria-label')
        ? 'generic' : 'img';
    case 'SVG':
      return element.hasAttribute('aria-label') || element.querySelector(':scope > title') ? 'img' : 'generic';
    case 'HEADER':
      return isInSection(element) ? 'generic' : 'banner';
    case 'FOOTER':
      return isInSection(element) ? 'generic' : 'contentinfo';
    case 'SECTION':
      return hasWrittenName(element) ? 'region' : 'generic';
    case 'FORM':
      return hasWrittenName(element) ? 'form' : 'generic';
    case 'TH':
      return element.getAttribute('scope') === 'row' ? 'rowheader' : 'columnheader';
    case 'SUMMARY':
      return element.parentElement?.tagName === 'DETAILS' ? 'button' : 'generic';
    default:
      return isEditable(element) ? 'textbox' : TAG_ROLES[tag] ?? 'generic';
  }
}

/** @param {Element} element */
function isInSection(element) {
  return element.parentElement?.closest(
    'article, aside, main, nav, section, [role=article], [role=complementary], [role=main], [role=navigation], [role=region]'
  ) != null;
}

/** @param {Element} element */
function hasWrittenName(element) {
  return element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby') || element.hasAttribute('title');
}
