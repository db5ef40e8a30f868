// Finds the rows of a table, a list or cards, and reads their fields. See page/snapshot/extraction.py.

import { isRendered, normalizeText, ownText, startReading } from '../dom.js';
import { elementOf } from '../refs.js';
import { applyRule, readingBudget } from './selection.js';
import { repeatedGroups, rowFields } from './repeated_rows.js';
import { isDataTable, readTable } from './table_rows.js';

/** @typedef {import('./selection.js').Rule} Rule */
/** @typedef {{ root: string | null, rows: string | null, fields: Record<string, Rule> | null, example: Record<string, string> | null, maxRows: number }} ExtractionRequest */
/** @typedef {{ columns: string[], rows: unknown[][], isCut: boolean }} ExtractedRows */
/** @typedef {{ problem: string, candidates?: string[] }} ExtractionProblem */

// A second table or list that has so large a part of the first one's content makes the choice ambiguous.
const AMBIGUOUS_SHARE = 0.5;
const MAX_NAMED_TABLES = 5;

/** JSON of `ExtractedRows` or `ExtractionProblem`. @param {ExtractionRequest} request */
export function extractRows(request) {
  const root = request.root === null ? document.documentElement : elementOf(request.root);
  if (root === null) return JSON.stringify({ problem: 'gone' });
  startReading();
  try {
    return JSON.stringify(extract(request, root));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'SyntaxError') return JSON.stringify({ problem: error.message });
    throw error;
  }
}

/** Whether the button that leads to the next page cannot be used. @param {string} ref */
export function isPagerEnd(ref) {
  const element = elementOf(ref);
  return !element || !isRendered(element) || element.closest(':disabled, [aria-disabled="true"], .disabled') !== null;
}

/** @param {ExtractionRequest} request @param {Element} root @returns {ExtractedRows | ExtractionProblem} */
function extract(request, root) {
  if (request.example) {
    const found = byExample(request.example, root);
    return 'problem' in found ? found : readRows(found.rows, found.fields, request.maxRows);
  }
  if (request.rows || request.fields) {
    const fields = request.fields;
    const rows = request.rows ? [...root.querySelectorAll(request.rows)] : rowsAround(firstMatches(fields ?? {}, root));
    if (!rows.length) return { problem: 'no rows' };
    return readRows(rows, fields ?? rowFields(rows), request.maxRows);
  }
  return automatic(root, request.maxRows);
}

/** @param {Element} root @param {number} maxRows @returns {ExtractedRows | ExtractionProblem} */
function automatic(root, maxRows) {
  const tables = (root instanceof HTMLTableElement ? [root] : [...root.querySelectorAll('table')]).filter(isDataTable);
  if (tables.length) {
    const sized = tables.map((table) => ({ element: /** @type {Element} */ (table), score: table.rows.length * (table.rows[0]?.cells.length ?? 0) }));
    const chosen = clearlyBest(sized);
    return 'problem' in chosen ? chosen : readTable(/** @type {HTMLTableElement} */ (chosen.element), maxRows);
  }
  const groups = repeatedGroups(root);
  if (!groups.length) return { problem: 'no rows' };
  const chosen = clearlyBest(groups.map((group) => ({ element: group.parent, score: group.score, rows: group.rows })));
  if ('problem' in chosen) return chosen;
  const rows = chosen.rows ?? [];
  return readRows(rows, rowFields(rows), maxRows);
}

/** @typedef {{ element: Element, score: number, rows?: Element[] }} Candidate */

/** @param {Candidate[]} candidates @returns {Candidate | ExtractionProblem} */
function clearlyBest(candidates) {
  const [best, ...others] = candidates.sort((one, other) => other.score - one.score);
  const rivals = others.filter(({ element, score }) => score > best.score * AMBIGUOUS_SHARE && element !== best.element && !best.element.contains(element) && !element.contains(best.element));
  return rivals.length ? { problem: 'ambiguous', candidates: [best, ...rivals].slice(0, MAX_NAMED_TABLES).map(describeTable) } : best;
}

/** @param {Candidate} candidate */
function describeTable({ element }) {
  const name = element.id ? `#${CSS.escape(element.id)}` : element.tagName.toLowerCase() + [...element.classList].slice(0, 2).map((one) => `.${CSS.escape(one)}`).join('');
  return `${name} (“${normalizeText(element.textContent ?? '').slice(0, 40)}”)`;
}

/** The matches of the first field. @param {Record<string, Rule>} fields @param {Element} root @returns {Element[]} */
function firstMatches(fields, root) {
  const [rule] = Object.values(fields);
  const css = String(Array.isArray(rule) ? rule[0] : rule).replace(/@[\w:-]+$/, '').trim();
  return css ? [...root.querySelectorAll(css)] : [];
}

/** The largest elements that contain one of the elements each. @param {Element[]} elements @returns {Element[]} */
function rowsAround(elements) {
  const known = new Set(elements);
  const counts = new Map();
  for (const element of known) for (let node = element.parentElement; node; node = node.parentElement) counts.set(node, (counts.get(node) ?? 0) + 1);
  return elements.map((element) => {
    let row = element;
    while (row.parentElement && row.parentElement !== document.body && counts.get(row.parentElement) === 1) row = row.parentElement;
    return row;
  });
}

/** @param {Record<string, string>} example @param {Element} root @returns {{ rows: Element[], fields: Record<string, Rule> } | ExtractionProblem} */
function byExample(example, root) {
  /** @type {Record<string, Element>} */
  const shown = {};
  for (const [name, value] of Object.entries(example)) {
    const wanted = normalizeText(value);
    const element = [...root.querySelectorAll('*')].find((one) => ownText(one) !== '' && normalizeText(one.textContent ?? '') === wanted);
    if (!element) return { problem: `nothing on the page reads “${value.slice(0, 80)}”` };
    shown[name] = element;
  }
  const elements = Object.values(shown);
  let first = elements[0];
  while (!elements.every((one) => first.contains(one)) || siblingsLike(first).length < 2) {
    if (!first.parentElement || first.parentElement === document.documentElement) return { problem: 'the example is not in one of several similar elements' };
    first = first.parentElement;
  }
  const row = first;
  const fields = Object.fromEntries(Object.entries(shown).map(([name, element]) => [name, pathTo(element, row)]));
  return { rows: siblingsLike(row), fields };
}

/** @param {Element} element @returns {Element[]} */
function siblingsLike(element) {
  const [kind] = element.classList;
  return [...(element.parentElement?.children ?? [])].filter((one) => one.tagName === element.tagName && (kind === undefined ? one.classList.length === 0 : one.classList.contains(kind)));
}

/** A selector of the element within its row. @param {Element} element @param {Element} row */
function pathTo(element, row) {
  const parts = [];
  for (let node = element; node !== row; node = /** @type {Element} */ (node.parentElement)) {
    const [kind] = node.classList;
    const same = [...(node.parentElement?.children ?? [])].filter((one) => one.tagName === node.tagName);
    const position = kind === undefined && same.length > 1 ? `:nth-of-type(${same.indexOf(node) + 1})` : '';
    parts.unshift(`> ${node.tagName.toLowerCase()}${kind === undefined ? position : `.${CSS.escape(kind)}`}`);
  }
  return parts.length ? `:scope ${parts.join(' ')}` : '';
}

/** @param {Element[]} rows @param {Record<string, Rule>} fields @param {number} maxRows @returns {ExtractedRows} */
function readRows(rows, fields, maxRows) {
  const budget = readingBudget();
  const rules = Object.values(fields);
  const read = rows.slice(0, maxRows).map((row) => rules.map((rule) => applyRule(rule, row, budget)));
  return { columns: Object.keys(fields), rows: read, isCut: budget.isCut || rows.length > maxRows };
}
