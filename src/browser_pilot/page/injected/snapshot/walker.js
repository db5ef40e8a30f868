// Walks the page once and adds what can be read or acted on to a RowBuilder, in the order of the page.
//
// Blocks without content are left out, and no text is added twice.

import { frameNumberOf, hasClickListener, noteShadowRoot, suspectHost } from '../cdp_facts.js';
import {
  childrenOf, generatedTexts, isOwnedElsewhere, isRendered, NO_GENERATED_TEXT, normalizeText, parentOf, referenced, shadowRootOf, SKIPPED_TAGS,
  styleOf, tagOf, visitAtOwner,
} from '../dom.js';
import { accessibleName, accessibleText, NAMING_CHILD, fieldValue, visibleName } from './accname.js';
import { cellName, forgetHeadings } from './cell_name.js';
import { isActionable } from './clickable.js';
import { concealedTextState } from './concealed_text.js';
import { fallbackName } from './fallback_name.js';
import { ATOMIC_ROLES, FIELD_ROLES, isEditable, roleOf } from './roles.js';
import { statesOf } from './states.js';
import { hasTinyText, hidingAt, hidingOf, isVisuallyHidden, markOf, NOT_HIDDEN } from './visual_hiding.js';

/** @import { StyleInfo } from '../dom.js' */
/** @import { Context, Row, RowBuilder } from './row_builder.js' */
/** @import { HiddenState } from './visual_hiding.js' */

const SHOWN_ALWAYS = new Set([
  'heading', 'navigation', 'main', 'banner', 'contentinfo', 'complementary', 'search', 'dialog', 'alertdialog', 'alert', 'status',
  'log', 'tooltip', 'tabpanel', 'region', 'form', 'timer', 'feed',
]);
const SHOWN_WHEN_NAMED = new Set([
  'group', 'radiogroup', 'toolbar', 'menu', 'menubar', 'tablist', 'listbox', 'tree', 'treegrid', 'grid', 'table', 'list', 'article',
  'figure', 'application', 'document', 'marquee', 'blockquote', 'note',
]);
const ACTIONABLE =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, video, audio, [onclick], [contenteditable], '
  + '[role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=menuitem], [role=treeitem], [role=option], '
  + '[role=tab], [role=textbox], [role=combobox], [tabindex]:not([tabindex="-1"])';
const COUNTED = `${ACTIONABLE}, p, li, h1, h2, h3, h4, h5, h6, tr, dt, dd, pre, label`;
const BLOCKS_IN_TABLE_ROW = 'table, iframe, h1, h2, h3, h4, h5, h6, ul, ol, dl, form, textarea, [contenteditable], video, pre';
const NAMING_TAGS = new Set(['LEGEND', 'CAPTION', 'FIGCAPTION']);
// Inline blocks that are part of a line of text.
const INLINE_BLOCK_TAGS = new Set(['BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'IMG', 'A', 'SUP', 'SUB']);
const SEPARATOR = /(^|[\s_-])(separator|divider)($|\s)/i;
const MAX_TABLE_ROW_LENGTH = 800;
const MAX_EDITABLE_LENGTH = 300;
const MAX_SHAPES = 100;
const MIN_IMAGE_PIXELS = 48;

/** One walk. It ends early when the builder has all wanted rows, or at the deadline; `rest` counts what it left out. */
export class PageWalker {
  rest = 0;
  metShadowRoots = false;
  #builder;
  #full;
  #deadline;
  #visited = 0;
  #timedOut = false;

  /** @param {RowBuilder} builder @param {{ full: boolean, deadline: number }} options */
  constructor(builder, { full, deadline }) {
    this.#builder = builder;
    this.#full = full;
    this.#deadline = deadline;
  }

  /** @param {Element} root */
  walk(root) {
    forgetHeadings();
    const parent = parentOf(root);
    const hiding = hidingAt(parent);
    this.#visitElement(root, { block: root, hiding, hidden: hiding.state, muted: false, joined: false, style: styleOf(parent ?? root) });
    this.#builder.endLine();
  }

  /** @param {Element} element @param {string} role @param {boolean} actionable @param {HiddenState} hidden @returns {Row} */
  makeRow(element, role, actionable, hidden) {
    const states = statesOf(element, role, this.#full);
    if (hidden) states.push(markOf(hidden, actionable));
    const name = role === 'click' ? accessibleName(element, 'generic') : visibleName(element, role);
    return {
      element, role, states, actionable, parts: null, frame: null,
      name: name || (actionable || role === 'img' ? describe(element, role) : ''),
      value: fieldValue(element, role),
      url: this.#full && role === 'link' ? element.getAttribute('href') : null,
    };
  }

  get #stopped() {
    return this.#timedOut || this.#builder.isFull;
  }

  /** @param {Node} node @param {Context} context */
  #visit(node, context) {
    if (node instanceof Text) {
      if (context.muted || this.#stopped || !context.style.visible) return;
      const parent = context.hidden || node.data.trim() === '' ? null : parentOf(node);
      const concealed = parent ? concealedTextState(parent, context.style, true) : '';
      this.#builder.addText(node.data, node, concealed ? { ...context, hidden: concealed } : context);
    } else if (node instanceof Element) {
      this.#visitElement(node, context);
    }
  }

  /** @param {Element} element @param {Context} context */
  #visitChildren(element, context) {
    const closed = element instanceof HTMLDetailsElement && !element.open && !shadowRootOf(element);
    const [before, after] = context.muted || this.#stopped || !context.style.visible ? NO_GENERATED_TEXT : generatedTexts(element);
    if (before) this.#builder.addText(before, element, context);
    for (const child of childrenOf(element)) {
      if (closed && !(child instanceof Element && child.tagName === 'SUMMARY')) continue;
      this.#visit(child, context);
    }
    if (element.hasAttribute('aria-owns')) {
      for (const owned of referenced(element, 'aria-owns')) visitAtOwner(owned, () => this.#visitElement(owned, context));
    }
    if (after) this.#builder.addText(after, element, context);
  }

  /** @param {Element} element @param {Context} context */
  #visitElement(element, context) {
    const tag = tagOf(element);
    if (SKIPPED_TAGS.has(tag) || isOwnedElsewhere(element)) return;
    if (this.#stopped) {
      this.rest += element.querySelectorAll(COUNTED).length + (element.matches(COUNTED) ? 1 : 0);
      return;
    }
    if ((++this.#visited & 255) === 0 && performance.now() > this.#deadline) this.#timedOut = true;
    if (tag === 'BR') {
      this.#builder.addText(' ', element, context);
      return;
    }
    const style = styleOf(element);
    const unrendered = style.display === 'none' || element.getAttribute('hidden') === 'until-found';
    if (unrendered || (tag === 'INPUT' && !style.visible)) {
      if (element instanceof HTMLInputElement && element.type === 'file') this.#builder.addItem(this.makeRow(element, 'file', true, 'hidden'), context);
      return;
    }
    const inline = style.display.startsWith('inline') || style.display === 'contents';
    const hiding = hidingOf(element, style, context.hiding, true);
    /** @type {Context} */
    const inner = {
      block: inline ? context.block : element,
      hiding,
      hidden: hiding.state,
      muted: context.muted,
      joined: context.joined,
      style,
    };
    const breaks = !inline || (style.display !== 'inline' && style.display !== 'contents' && !INLINE_BLOCK_TAGS.has(tag));
    if (breaks) this.#builder.breakLine(element, inner, inline);
    if (element.firstChild === null || tag.includes('-')) suspectHost(element, tag);
    const root = shadowRootOf(element);
    if (root !== null) {
      this.metShadowRoots = true;
      noteShadowRoot(root);
    }
    if (style.visible) this.#addElement(element, tag, inner, context.style.cursor === 'pointer');
    else this.#visitChildren(element, inner);
    if (breaks) this.#builder.breakLine(element, inner, inline);
  }

  /** @param {Element} element @param {string} tag @param {Context} context @param {boolean} parentPointer */
  #addElement(element, tag, context, parentPointer) {
    const role = roleOf(element);
    if (tag === 'IFRAME' || tag === 'FRAME') return this.#addFrame(element, context);
    if (tag === 'LABEL' && this.#addLabel(/** @type {HTMLLabelElement} */ (element), context)) return;
    if (NAMING_TAGS.has(tag) && element.parentElement && NAMING_CHILD[element.parentElement.tagName] === tag) {
      return this.#visitChildren(element, { ...context, muted: true });
    }
    const actionable = isActionable(element, tag, role, context.style, parentPointer);
    if (actionable && isSeparator(element, role)) return this.#visitChildren(element, context);
    if (actionable && element.firstElementChild === null && isUnused(element, role, context)) return;
    if (isField(element, role)) return this.#addField(element, role, context);
    if (ATOMIC_ROLES.has(role)) return this.#addAtom(element, tag, role, context, actionable);
    if (tag === 'SVG') return this.#addSvg(element, context, actionable);
    if (tag === 'IMG') {
      if (actionable || this.#full) this.#builder.addItem(this.makeRow(element, 'img', actionable, context.hidden), context);
      return;
    }
    if (role === 'row' && !context.joined && isPlainTableRow(element)) return this.#addTableRow(element, context, actionable);
    if (role === 'listitem' && !context.joined) return this.#addListItem(element, context, actionable);
    if (context.joined || context.muted) {
      if (actionable && !context.muted) return this.#addInlineClickable(element, context);
      return this.#visitChildren(element, context);
    }
    if (actionable) return this.#addContainer(element, role === 'generic' || role === 'paragraph' ? 'click' : role, context, true);
    if (SHOWN_ALWAYS.has(role) || (SHOWN_WHEN_NAMED.has(role) && accessibleName(element, role))) {
      return this.#addContainer(element, role, context, false);
    }
    if (role === 'list') return this.#addList(element, context);
    if (role === 'term' || role === 'definition') return this.#addDefinition(element, role, context);
    return this.#visitChildren(element, context);
  }

  /** @param {Element} element @param {string} role @param {Context} context */
  #addField(element, role, context) {
    if (context.hidden && hasVisibleLabel(element)) return;
    this.#builder.addItem(this.makeRow(element, role, true, context.hidden), context);
  }

  /** @param {Element} element @param {string} tag @param {string} role @param {Context} context @param {boolean} actionable */
  #addAtom(element, tag, role, context, actionable) {
    const nested = role !== 'img' && (shadowRootOf(element) !== null || element.querySelector(ACTIONABLE) !== null);
    if (context.hidden && tag === 'INPUT' && hasVisibleLabel(element)) return;
    if (!(context.muted && !actionable)) {
      const row = this.makeRow(element, role, actionable, context.hidden);
      const named = row.name && !row.name.startsWith('(');
      if (role !== 'img' || actionable || named || this.#isLarge(element)) this.#builder.addItem(row, context);
    }
    if (nested) this.#visitChildren(element, { ...context, muted: true });
  }

  /** @param {Element} image */
  #isLarge(image) {
    const box = image.getBoundingClientRect();
    return this.#full || (box.width >= MIN_IMAGE_PIXELS && box.height >= MIN_IMAGE_PIXELS);
  }

  /** @param {Element} element @param {Context} context @param {boolean} actionable */
  #addSvg(element, context, actionable) {
    if (actionable) this.#builder.addItem(this.makeRow(element, 'click', true, context.hidden), context);
    const hasContent = !actionable && element.querySelector('text, foreignObject, a, [onclick], [tabindex]') !== null;
    if (hasContent || hasClickableShapes(element, context.style)) this.#visitChildren(element, context);
  }

  /** @param {Element} element @param {Context} context */
  #addFrame(element, context) {
    if (context.muted || element.clientWidth < 2 || element.clientHeight < 2) return;
    this.#builder.endLine();
    const row = this.makeRow(element, 'iframe', false, context.hidden);
    row.name = normalizeText(element.getAttribute('title') || element.getAttribute('aria-label') || element.getAttribute('name') || '');
    row.frame = frameNumberOf(element) ?? null;
    this.#builder.rows.push(row);
  }

  /**
   * A label has no row beside the control that it names; it stands in for a control that cannot be seen.
   * @param {HTMLLabelElement} label @param {Context} context @returns {boolean} whether the label is done
   */
  #addLabel(label, context) {
    const control = label.control;
    if (!control || context.muted) return false;
    const role = roleOf(control);
    const shown = isRendered(control) && !isVisuallyHidden(control);
    if (!shown && control instanceof HTMLInputElement && control.type !== 'hidden') {
      const row = this.makeRow(control, role, true, context.hidden);
      row.element = label;
      this.#builder.addItem(row, context);
      this.#visitChildren(label, { ...context, muted: true });
      return true;
    }
    if (!accessibleName(control, role).includes(accessibleText(label, control))) return false;
    this.#visitChildren(label, { ...context, muted: true });
    return true;
  }

  /** @param {Element} element @param {Context} context @param {boolean} actionable */
  #addTableRow(element, context, actionable) {
    this.#builder.endLine();
    let first = true;
    const joined = { ...context, joined: true, block: element };
    for (const cell of childrenOf(element)) {
      if (!(cell instanceof Element) || SKIPPED_TAGS.has(tagOf(cell)) || styleOf(cell).display === 'none') continue;
      if (!first) this.#builder.addSeparator(joined);
      first = false;
      this.#visitElement(cell, joined);
    }
    this.#builder.endTableRow(element, actionable);
  }

  /** @param {Element} element @param {Context} context @param {boolean} actionable */
  #addListItem(element, context, actionable) {
    if (actionable && !context.muted) return this.#addContainer(element, 'click', context, true);
    const { rows } = this.#builder;
    const start = rows.length;
    this.#visitChildren(element, context);
    if (context.muted) return;
    this.#builder.endLine();
    if (rows.length > start && rows[start].role === 'text') rows[start].role = 'item';
  }

  /** @param {Element} element @param {Context} context */
  #addList(element, context) {
    const start = this.#builder.rows.length;
    this.#visitChildren(element, context);
    this.#builder.endLine();
    this.#builder.joinShortItems(element, start);
  }

  /** A term and its definition share a row. @param {Element} element @param {string} role @param {Context} context */
  #addDefinition(element, role, context) {
    const start = this.#builder.rows.length;
    this.#visitChildren(element, context);
    this.#builder.endLine();
    this.#builder.joinDefinition(start, role);
  }

  /** @param {Element} element @param {Context} context */
  #addInlineClickable(element, context) {
    const row = this.makeRow(element, 'click', true, context.hidden);
    const text = accessibleText(element);
    if (text && (!row.name || row.name.startsWith('('))) row.name = text;
    this.#builder.addItem(row, context);
    if (element.querySelector(ACTIONABLE)) this.#visitChildren(element, { ...context, muted: true });
  }

  /** @param {Element} element @param {string} role @param {Context} context @param {boolean} actionable */
  #addContainer(element, role, context, actionable) {
    const inline = context.block !== element;
    if (inline && actionable && !containsClickables(element) && !hasTinyText(element)) return this.#addInlineClickable(element, context);
    const row = this.makeRow(element, role, actionable, context.hidden);
    if (role === 'heading') row.name = '';
    const index = this.#builder.startContainer(row);
    this.#visitChildren(element, { ...context, block: element });
    this.#builder.endContainer(row, index);
  }
}

/** A name in parentheses for what has none. @param {Element} element @param {string} role */
function describe(element, role) {
  if (ATOMIC_ROLES.has(role) || (role === 'click' && !element.textContent?.trim())) return fallbackName(element);
  const cell = FIELD_ROLES.has(role) ? cellName(element) : '';
  return cell && `(${cell})`;
}

/** @param {Element} element @param {string} role */
function isField(element, role) {
  if (element instanceof HTMLSelectElement) return true;
  if (!FIELD_ROLES.has(role)) return false;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return true;
  if (isEditable(element)) return (element.textContent ?? '').length <= MAX_EDITABLE_LENGTH;
  return !element.querySelector('input, textarea, [contenteditable]') && !shadowRootOf(element);
}

/** Whether an element only separates others, whatever takes its clicks. @param {Element} element @param {string} role */
function isSeparator(element, role) {
  if (role === 'separator') return !element.hasAttribute('tabindex');
  return element.hasAttribute('class') && SEPARATOR.test(`${element.getAttribute('class')} ${element.getAttribute('data-type')}`)
    && !element.textContent?.trim() && !element.querySelector(ACTIONABLE);
}

/**
 * Whether a control without text is not for the eye either: hidden from screen readers and not to be seen, such as the copy that keeps a
 * value for a form, or only there to move the focus on. A control that can be seen stays, though screen readers do not know it.
 * @param {Element} element @param {string} role @param {Context} context
 */
function isUnused(element, role, context) {
  if (element.textContent?.trim()) return false;
  const isWidget = role !== 'generic';
  const isAriaHidden = element.closest('[aria-hidden=true]') !== null;
  if (isWidget && !isAriaHidden) return false;
  const box = element.getBoundingClientRect();
  if (box.width < 1 && box.height < 1) return true;
  return isAriaHidden && (context.hidden !== '' || !(isWidget || hasClickListener(element) || context.style.cursor === 'pointer'));
}

/** @param {Element} control */
function hasVisibleLabel(control) {
  const labels = /** @type {HTMLInputElement} */ (control).labels;
  return labels ? [...labels].some((label) => isRendered(label) && !hidingOf(label, styleOf(label), NOT_HIDDEN).state) : false;
}

/** Whether single shapes of an SVG can be clicked. @param {Element} svg @param {StyleInfo} style */
function hasClickableShapes(svg, style) {
  const shapes = [...svg.querySelectorAll('*')];
  if (shapes.some((shape) => hasClickListener(shape))) return true;
  return style.cursor !== 'pointer' && shapes.length <= MAX_SHAPES && shapes.some((shape) => styleOf(shape).cursor === 'pointer');
}

/** @param {Element} element */
function isPlainTableRow(element) {
  return !element.querySelector(BLOCKS_IN_TABLE_ROW) && (element.textContent ?? '').length < MAX_TABLE_ROW_LENGTH;
}

/** @param {Element} element */
function containsClickables(element) {
  if (element.querySelector(ACTIONABLE)) return true;
  return [...element.querySelectorAll('*')].some((inner) => hasClickListener(inner) && isRendered(inner));
}
