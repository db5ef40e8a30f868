// Builds rows from what a walk meets: text and inline items of one block share a line, and a line becomes one row.
//
// One builder per walk. See snapshot/rows.py for what the rows mean.

import { hasClickListener } from '../cdp_facts.js';
import { normalizeText, styleOf } from '../dom.js';
import { knownRef } from '../refs.js';
import { accessibleName } from './accname.js';
import { fallbackName } from './fallback_name.js';
import { FIELD_ROLES } from './roles.js';
import { markOf } from './visual_hiding.js';

/** @import { StyleInfo } from '../dom.js' */
/** @import { HiddenState, Hiding } from './visual_hiding.js' */
/** @typedef {{ element: Element | Text, role: string, name: string, parts: (string | Row)[] | null, states: string[],
 *   value: string | null, actionable: boolean, frame: number | null, url: string | null }} Row */
/** The position of a walk: the block that text belongs to; how what is there is hidden, and the state of a text there; whether the text
 * is part of a name already (`muted`); whether everything shares one row (`joined`).
 * @typedef {{ block: Element, hiding: Hiding, hidden: HiddenState, muted: boolean, joined: boolean, style: StyleInfo }} Context */
/** @typedef {{ block: Element, text: Text | null, parts: (string | Row)[], hidden: HiddenState }} Line */

const MAX_SHORT_ITEM_LENGTH = 60;
const START_SEARCH_STEP = 500;
const MIN_PROSE_LENGTH = 40;
const MAX_JOINED_PROSE_LENGTH = 700;
const MAX_CLICKABLE_NAME_LENGTH = 200;
const MAX_ROWS_IN_ENTRY = 15;

export class RowBuilder {
  /** @type {Row[]} */
  rows = [];
  /** Whether there are as many rows as are wanted. */
  isFull = false;
  /** @type {Line | null} */
  #line = null;
  /** Elements and text nodes that already have a row. @type {Set<Element | Text>} */
  #owners = new Set();
  /** @type {string | null} */
  #startRef;
  #maxRows;
  #rowLimit;
  #searched = 0;

  /** @param {{ startRef: string | null, skip: number, maxRows: number }} wanted the rows from `startRef` on, or after the first `skip` */
  constructor({ startRef, skip, maxRows }) {
    this.#startRef = startRef;
    this.#maxRows = maxRows;
    this.#rowLimit = startRef === null ? skip + maxRows : Infinity;
  }

  /** @param {string} text @param {Node} source @param {Context} context */
  addText(text, source, context) {
    if (this.#line !== null && this.#line.hidden !== context.hidden && text.trim()) this.endLine();
    if (this.#line === null) {
      if (!text.trim()) return;
      this.#line = newLine(context);
    }
    const line = this.#line;
    if (line.text === null && source instanceof Text) line.text = source;
    appendText(line.parts, text);
  }

  /** Adds an item as part of a line of text; a field has a row of its own. @param {Row} row @param {Context} context */
  addItem(row, context) {
    const alone = FIELD_ROLES.has(row.role) && !context.joined;
    if (alone) this.endLine();
    this.#line ??= newLine(context);
    this.#line.parts.push(row);
    if (alone) this.endLine();
  }

  /** Separates the cells of a table row. @param {Context} context */
  addSeparator(context) {
    this.#line ??= newLine(context);
    appendText(this.#line.parts, ' | ');
  }

  /** A block begins or ends. @param {Element} element @param {Context} context @param {boolean} inline */
  breakLine(element, context, inline) {
    if (this.#line === null) return;
    if (inline || context.joined || context.muted) this.addText(' ', element, { ...context, hidden: this.#line.hidden });
    else this.endLine();
  }

  /** Makes the line a row, or a row for each of its items when it has no text of its own. */
  endLine() {
    const line = this.#line;
    this.#line = null;
    if (line === null) return;
    const parts = normalizeParts(line.parts);
    const items = /** @type {Row[]} */ (parts.filter((part) => typeof part !== 'string'));
    if (items.length === parts.length) this.rows.push(...items);
    else this.#pushLine(line, parts, items.length > 0, 'text', false);
    this.#checkLimit();
  }

  /** Makes the line of a table row a row. @param {Element} element @param {boolean} actionable */
  endTableRow(element, actionable) {
    const line = this.#line;
    this.#line = null;
    if (line === null) return;
    const parts = normalizeParts(line.parts);
    const last = parts.length - 1;
    if (typeof parts[last] === 'string') parts[last] = /** @type {string} */ (parts[last]).replace(/[\s|]+$/, '');
    if (parts[last] === '') parts.pop();
    const texts = parts.filter((part) => typeof part === 'string' && /[^\s|]/.test(part));
    const items = /** @type {Row[]} */ (parts.filter((part) => typeof part !== 'string'));
    if (!texts.length && items.length <= 1 && !actionable) this.rows.push(...items);
    else if (parts.length) this.#pushLine({ ...line, block: element }, parts, items.length > 0, 'row', actionable);
    this.#checkLimit();
  }

  /** Begins the row of a container; what is inside follows, then `endContainer`. @param {Row} row */
  startContainer(row) {
    this.endLine();
    this.#owners.add(row.element);
    return this.rows.push(row) - 1;
  }

  /** Merges a container and its content into one row, where they have the same text. @param {Row} row @param {number} index */
  endContainer(row, index) {
    this.endLine();
    const { rows } = this;
    const inside = rows.slice(index + 1);
    if (!inside.length) {
      if (!row.name && !row.actionable) rows.length = index;
      return;
    }
    const [only] = inside;
    if (inside.length === 1 && only.actionable && isWrapperOf(row, only)) return void rows.splice(index, 1);
    if (isDelegate(row, inside)) return void rows.splice(index, 1);
    const sameStates = inside.every((inner) => inner.states.every((state) => hasState(row, state)));
    if (sameStates && inside.length === 1 && isPlainText(only) && (!row.name || row.name === only.name)) {
      row.name = only.name;
      row.parts = only.parts;
      rows.length = index + 1;
      return;
    }
    const allText = sameStates && inside.every((inner) => isPlainText(inner) && !inner.parts);
    if (row.role === 'heading') return this.#endHeading(row, inside, index, allText);
    if (row.role !== 'click') return;
    if (inside.length > 1 && inside.some(isDrawn)) {
      row.name ||= fallbackName(/** @type {Element} */ (row.element));
      return;
    }
    if (!row.name && !sameStates && inside.every((inner) => isPlainText(inner))) row.name = fallbackName(/** @type {Element} */ (row.element));
    const text = inside.map((inner) => inner.name).join(' ');
    if (allText && text.length <= MAX_CLICKABLE_NAME_LENGTH) {
      row.name = row.name || text;
      rows.length = index + 1;
    } else if (!row.name) nameByFirstTexts(row, rows, index);
  }

  /** Makes a list of short plain items one row. @param {Element} list @param {number} start */
  joinShortItems(list, start) {
    const items = this.rows.slice(start);
    if (items.length < 2 || this.#owners.has(list)) return;
    if (!items.every((item) => item.role === 'item' && !item.parts && !item.states.length && item.name.length <= MAX_SHORT_ITEM_LENGTH)) return;
    const row = items[0];
    row.element = list;
    row.role = 'list';
    row.name = items.map((item) => item.name).join(' | ');
    this.rows.length = start + 1;
  }

  /** Joins a definition with its term. @param {number} start the first row of either @param {string} role */
  joinDefinition(start, role) {
    const { rows } = this;
    if (rows.length === start || !isPlainText(rows[start]) || rows[start].states.length) return;
    const term = rows[start - 1];
    if (role === 'term') rows[start].role = 'term';
    else if (term?.role === 'term' && !term.states.length) joinRows(term, rows.splice(start, 1)[0]);
  }

  /** Sets `isFull` when there are all wanted rows: so many after the one to start from, once that one is there. */
  #checkLimit() {
    const { rows } = this;
    if (this.#startRef !== null && rows.length > this.#searched + START_SEARCH_STEP) {
      for (; this.#searched < rows.length; this.#searched++) {
        if (knownRef(rows[this.#searched].element) === this.#startRef) this.#rowLimit = this.#searched + this.#maxRows;
      }
    }
    if (rows.length > this.#rowLimit) this.isFull = true;
  }

  /** @param {Line} line @param {(string | Row)[]} parts @param {boolean} mixed @param {string} role @param {boolean} actionable */
  #pushLine(line, parts, mixed, role, actionable) {
    const owner = this.#owners.has(line.block) && line.text ? line.text : line.block;
    this.#owners.add(owner);
    const states = line.hidden ? [markOf(line.hidden, actionable)] : [];
    const name = mixed ? '' : /** @type {string} */ (parts[0]);
    this.rows.push({
      element: owner, role, name, parts: mixed ? parts : null, states, value: null, actionable, frame: null, url: null,
    });
  }

  /** @param {Row} row @param {Row[]} inside @param {number} index @param {boolean} allText */
  #endHeading(row, inside, index, allText) {
    const items = inside.filter((inner) => !isPlainText(inner));
    const level = row.states.find((state) => state.startsWith('level '));
    if (items.length === inside.length && items.length === 1 && level) {
      items[0].states.push(level);
      this.rows.splice(index, inside.length + 1, items[0]);
    } else if (allText) {
      row.name = inside.map((inner) => inner.name).join(' ');
      this.rows.length = index + 1;
    } else {
      row.name = accessibleName(/** @type {Element} */ (row.element), 'heading');
      this.rows.splice(index, inside.length + 1, row, ...inside.filter((inner) => !isPlainText(inner) || inner.parts));
    }
  }
}

/** @param {Context} context @returns {Line} */
function newLine(context) {
  return { block: context.block, text: null, parts: [], hidden: context.hidden };
}

/** @param {(string | Row)[]} parts @param {string} text */
function appendText(parts, text) {
  const last = parts.length - 1;
  if (typeof parts[last] === 'string') parts[last] += text;
  else parts.push(text);
}

/** Joins neighbouring texts and drops empty ones. @param {(string | Row)[]} parts */
function normalizeParts(parts) {
  /** @type {(string | Row)[]} */
  const normalized = [];
  parts.forEach((part, index) => {
    if (typeof part !== 'string') {
      normalized.push(part);
      return;
    }
    const text = normalizeText(part);
    if (!text) return;
    const before = index > 0 && /^\s/.test(part) ? ' ' : '';
    const after = index < parts.length - 1 && /\s$/.test(part) ? ' ' : '';
    normalized.push(before + text + after);
  });
  return normalized;
}

/** Text in a transparent control is hidden, as the control is. @param {Row} row @param {string} state */
function hasState({ states }, state) {
  return states.includes(state) || (state === 'hidden' && states.includes('transparent'));
}

/** Whether a row is a part of a drawing, in which each is a target of its own. @param {Row} row */
function isDrawn({ element }) {
  return (element instanceof Text ? element.parentElement : element) instanceof SVGElement;
}

/** @param {Row} row */
function isPlainText(row) {
  return (row.role === 'text' || row.role === 'item') && !row.actionable;
}

/**
 * Whether a clickable row adds nothing to the only control inside: it has no name, or the same, and takes clicks just where that one does.
 * @param {Row} row @param {Row} only
 */
function isWrapperOf(row, only) {
  const element = /** @type {Element} */ (row.element);
  const unnamed = !row.name || row.name.startsWith('(');
  if (row.role !== 'click' || !(unnamed || row.name === only.name) || element.matches('[onclick], [draggable=true]')) return false;
  if (!row.states.every((state) => only.states.includes(state))) return false;
  if (!unnamed) return true;
  return !element.matches('[tabindex], [role]') && (!hasClickListener(element) || covers(/** @type {Element} */ (only.element), element));
}

/** Whether a clickable row only handles the clicks of several controls inside. @param {Row} row @param {Row[]} inside */
function isDelegate({ role, name, element }, inside) {
  if (role !== 'click' || name || inside.length < 2 || !inside.every((inner) => inner.actionable)) return false;
  const { cursor } = styleOf(/** @type {Element} */ (element));
  return cursor !== 'pointer' && !(/** @type {Element} */ (element).matches('[onclick], [tabindex], [role], [draggable=true]'));
}

/** Whether an element takes up most of another one. @param {Element} inner @param {Element} outer */
function covers(inner, outer) {
  const [small, large] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()];
  return small.width * small.height > (large.width * large.height) / 2;
}

/** Moves the first texts inside a clickable row into its name. @param {Row} row @param {Row[]} rows @param {number} index */
function nameByFirstTexts(row, rows, index) {
  if (rows.length - index > MAX_ROWS_IN_ENTRY) return;
  /** @param {Row} inner */
  const isName = (inner) => isPlainText(inner) && !inner.parts && !inner.states.length;
  const start = rows.findIndex((inner, at) => at > index && isName(inner));
  if (start < 0) return;
  let end = start;
  for (let length = 0; end < rows.length && isName(rows[end]); end++) {
    length += rows[end].name.length + 1;
    if (length > MAX_CLICKABLE_NAME_LENGTH) break;
  }
  row.name = rows.splice(start, end - start).map(({ name }) => name).join(' ');
}

/** Whether a row is a longer text, perhaps with links in it. @param {Row} row */
function isProse(row) {
  if (!isPlainText(row) || row.states.length) return false;
  const length = row.parts ? row.parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0) : row.name.length;
  return length >= MIN_PROSE_LENGTH;
}

/**
 * Joins neighbouring rows of prose. Where a joined row ends depends on the texts themselves, so that a text that comes or goes
 * changes one row and not all that follow.
 * @param {Row[]} rows @returns {Row[]}
 */
export function joinProse(rows) {
  /** @type {Row[]} */
  const joined = [];
  let room = 0;
  for (const row of rows) {
    const last = joined[joined.length - 1];
    const prose = isProse(row);
    if (prose && room > 0) joinRows(last, row);
    else joined.push(row);
    if (!prose) {
      room = 0;
      continue;
    }
    const length = row.parts ? MIN_PROSE_LENGTH * 4 : row.name.length;
    if (room <= 0) room = MAX_JOINED_PROSE_LENGTH;
    room = length % 5 === 0 ? 0 : room - length;
  }
  return joined;
}

/** @param {Row} row @param {Row} next */
function joinRows(row, next) {
  const separator = row.role === 'term' ? ': ' : next.role === 'item' ? ' • ' : '\n';
  if (row.role === 'term') row.role = 'text';
  if (!row.parts && !next.parts) {
    row.name += separator + next.name;
  } else {
    row.parts = [...(row.parts ?? [row.name]), separator, ...(next.parts ?? [next.name])];
    row.name = '';
  }
}
