// What an empty cell or an editor without a name is for: the header of its column, and its row.
//
// A table of plain boxes has no roles: there the header is a text above, in a row of another kind, that begins or ends where the
// element does.

import { ownText, truncate } from '../dom.js';
import { accessibleText } from './accname.js';

/** @typedef {{ text: string, left: number, right: number, bottom: number }} Heading */

const CELL = 'td, th, [role=gridcell], [role=cell], [role=rowheader]';
const GRID_ROW = 'tr, [role=row]';
const GRID = 'table, [role=grid], [role=treegrid], [role=table]';
const COLUMN_HEADER = 'thead th, tr:first-child > th, [role=columnheader]';
const MAX_NAME_LENGTH = 40;
const MAX_ROW_CELLS = 100;
const MAX_ROW_NUMBER = 1_000;
const MAX_LEVELS = 7;
const MAX_HEADER_ELEMENTS = 80;
const ALIGNED_PIXELS = 3;

/** The texts of boxes that may be headers, in this reading. @type {WeakMap<Element, Heading[]>} */
let headings = new WeakMap();

export function forgetHeadings() {
  headings = new WeakMap();
}

/** Column and row of the cell that an element is or is in, such as `Payee, Bakery`; '' without a header. @param {Element} element */
export function cellName(element) {
  const cell = element.closest(CELL);
  const row = cell?.closest(GRID_ROW);
  const grid = row?.closest(GRID);
  if (!cell || !row || !grid) return headerAbove(element);
  const header = columnHeader(cell, row, grid) || headerAbove(cell);
  return header && !cell.matches(COLUMN_HEADER) ? `${header}, ${rowName(row, cell)}` : '';
}

/** @param {Element} cell @param {Element} row @param {Element} grid */
function columnHeader(cell, row, grid) {
  const column = cell.getAttribute('aria-colindex');
  const indexed = column ? grid.querySelector(`[role=columnheader][aria-colindex="${CSS.escape(column)}"]`) : null;
  if (indexed) return textOf(indexed);
  const headerRow = grid.querySelector(COLUMN_HEADER)?.closest(GRID_ROW);
  if (!headerRow || headerRow === row) return '';
  const headers = cellsOf(headerRow);
  const cells = cellsOf(row);
  const start = spanBefore(cells, cells.indexOf(cell));
  return textOf(headers.find((_, index) => spanBefore(headers, index + 1) > start) ?? null);
}

/** @param {Element} row */
function cellsOf(row) {
  return [...row.querySelectorAll(`${CELL}, [role=columnheader]`)].slice(0, MAX_ROW_CELLS).filter((cell) => cell.closest(GRID_ROW) === row);
}

/** How many columns the first cells take. @param {Element[]} cells @param {number} count */
function spanBefore(cells, count) {
  return cells.slice(0, count).reduce((sum, cell) => sum + (cell instanceof HTMLTableCellElement ? cell.colSpan : 1), 0);
}

/** The header of a row, its first text, or its number. @param {Element} row @param {Element} cell */
function rowName(row, cell) {
  const header = row.querySelector('th[scope=row], [role=rowheader]');
  const named = header !== null && header !== cell ? header : cellsOf(row).find((other) => other !== cell && textOf(other));
  return textOf(named ?? null) || `row ${row.getAttribute('aria-rowindex') ?? numberOf(row)}`;
}

/** @param {Element} row */
function numberOf(row) {
  let number = 1;
  for (let before = row.previousElementSibling; before && number < MAX_ROW_NUMBER; before = before.previousElementSibling) number++;
  return number;
}

/** @param {Element} element */
function headerAbove(element) {
  let box = null;
  let node = element;
  for (let level = 0; level < MAX_LEVELS && node.parentElement && node.parentElement !== document.body; level++, node = node.parentElement) {
    const before = node.previousElementSibling;
    if (before === null || before.className === node.className) continue;
    const texts = headingsIn(before);
    if (texts.length < 2) continue;
    const { left, right, top } = (box ??= element.getBoundingClientRect());
    const aligned = texts.filter(
      (text) => text.bottom <= top + ALIGNED_PIXELS && text.left < right && text.right > left
        && (Math.abs(text.left - left) <= ALIGNED_PIXELS || Math.abs(text.right - right) <= ALIGNED_PIXELS),
    );
    if (aligned.length === 1) return aligned[0].text;
  }
  return '';
}

/** The texts directly in the boxes of a row. @param {Element} row @returns {Heading[]} */
function headingsIn(row) {
  let found = headings.get(row);
  if (found === undefined) {
    found = [];
    const inside = row.querySelectorAll('*');
    if (inside.length <= MAX_HEADER_ELEMENTS) {
      for (const inner of inside) {
        const text = truncate(ownText(inner), MAX_NAME_LENGTH);
        const { left, right, bottom } = inner.getBoundingClientRect();
        if (text) found.push({ text, left, right, bottom });
      }
    }
    headings.set(row, found);
  }
  return found;
}

/** @param {Element | null} element */
function textOf(element) {
  return element ? truncate(element.getAttribute('aria-label')?.trim() || accessibleText(element), MAX_NAME_LENGTH) : '';
}
