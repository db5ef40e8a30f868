// ARIA roles: explicit, or implicit by the element's tag (HTML-AAM).

import { tagOf } from '../dom.js';

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

export const FIELD_ROLES = new Set([
  'textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'file', 'date', 'time', 'month', 'week', 'datetime', 'color',
]);
export const TOGGLE_ROLES = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
export const WIDGET_ROLES = new Set([
  ...FIELD_ROLES, ...TOGGLE_ROLES, 'button', 'link', 'tab', 'menuitem', 'option', 'treeitem', 'scrollbar',
]);
export const NAME_FROM_CONTENT = new Set([
  'button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
  'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip', 'treeitem',
]);

/** Roles of widgets and media that make one row, or one item within a line. */
export const ATOMIC_ROLES = new Set([
  'link', 'button', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'checkbox', 'radio', 'switch', 'treeitem',
  'img', 'progressbar', 'meter', 'scrollbar', 'video', 'audio', 'canvas', 'embed', 'object', 'math',
]);

/** The first valid role of the role attribute. @param {Element} element */
function explicitRole(element) {
  const explicit = element.getAttribute('role');
  if (!explicit) return '';
  for (const role of explicit.toLowerCase().split(/\s+/)) if (KNOWN_ROLES.has(role)) return role === 'image' ? 'img' : role;
  return '';
}

/** @param {Element} element */
export function isEditable(element) {
  const attribute = element.getAttribute('contenteditable');
  return attribute !== null && attribute !== 'false' && element instanceof HTMLElement && element.isContentEditable;
}

/** The role of an element; 'generic' when it has none. @param {Element} element @returns {string} */
export function roleOf(element) {
  const explicit = explicitRole(element);
  if (explicit && explicit !== 'none' && explicit !== 'presentation') return explicit;
  if (explicit && !element.hasAttribute('tabindex') && !isNativelyFocusable(element)) return 'generic';
  return implicitRole(element);
}

/** @param {Element} element */
function isNativelyFocusable(element) {
  const tag = tagOf(element);
  if (tag === 'A' || tag === 'AREA') return element.hasAttribute('href');
  return tag === 'BUTTON' || tag === 'INPUT' || tag === 'SELECT' || tag === 'TEXTAREA' || tag === 'SUMMARY' || tag === 'IFRAME';
}

/** @param {Element} element @returns {string} */
function implicitRole(element) {
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
      return hasAuthorName(element) ? 'region' : 'generic';
    case 'FORM':
      return hasAuthorName(element) ? 'form' : 'generic';
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
export function hasAuthorName(element) {
  return element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby') || element.hasAttribute('title');
}
