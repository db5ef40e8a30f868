// The rows of an HTML table as texts by column. See extraction.js.

import { isRendered, normalizeText } from '../dom.js';

/** A table of data: not of layout, and not around another table. @param {HTMLTableElement} table */
export function isDataTable(table) {
  const role = table.getAttribute('role');
  return isRendered(table) && role !== 'presentation' && role !== 'none' && !table.querySelector('table') && table.rows.length > 1 && columnCount(table) > 1;
}

/** @param {HTMLTableElement} table */
function columnCount(table) {
  return Math.max(...[...table.rows].slice(0, 10).map((row) => row.cells.length));
}

/** @param {HTMLTableElement} table @param {number} maxRows */
export function readTable(table, maxRows) {
  const header = headerOf(table);
  /** @type {string[][]} */
  const rows = [];
  /** Cells that continue into later rows, by column. @type {Map<number, { text: string, left: number }>} */
  const spanning = new Map();
  let isCut = false;
  for (const row of table.rows) {
    if (row === header || row.parentElement === table.tHead || row.parentElement === table.tFoot || !isRendered(row)) continue;
    if (rows.length >= maxRows) {
      isCut = true;
      break;
    }
    const texts = cellTexts(row, spanning);
    // Such as "No data available in table".
    if (row.cells.length > 1 || columnCount(table) === 1) rows.push(texts);
  }
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return { columns: columnNames(header, width), rows: rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? '')), isCut };
}

/** @param {HTMLTableElement} table */
function headerOf(table) {
  const head = table.tHead ? [...table.tHead.rows].at(-1) : undefined;
  if (head) return head;
  const [first] = table.rows;
  return first && [...first.cells].every((cell) => cell.tagName === 'TH') ? first : undefined;
}

/** @param {HTMLTableRowElement} row @param {Map<number, { text: string, left: number }>} spanning @returns {string[]} */
function cellTexts(row, spanning) {
  /** @type {string[]} */
  const texts = [];
  const takeSpanning = () => {
    for (let above = spanning.get(texts.length); above; above = spanning.get(texts.length)) {
      if (--above.left === 0) spanning.delete(texts.length);
      texts.push(above.text);
    }
  };
  for (const cell of row.cells) {
    takeSpanning();
    const text = normalizeText(cell.textContent ?? '');
    for (let column = 0; column < Math.min(cell.colSpan, 100); column++) {
      if (cell.rowSpan > 1) spanning.set(texts.length, { text, left: cell.rowSpan - 1 });
      texts.push(text);
    }
  }
  takeSpanning();
  return texts;
}

/** Unique names. @param {HTMLTableRowElement | undefined} header @param {number} width */
function columnNames(header, width) {
  const texts = header ? cellTexts(header, new Map()) : [];
  return uniqueNames(Array.from({ length: width }, (_, column) => texts[column] || `column_${column + 1}`));
}

/** @param {string[]} names */
export function uniqueNames(names) {
  const seen = new Map();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}
