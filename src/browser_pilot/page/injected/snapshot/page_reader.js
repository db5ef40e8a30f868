// Reads the page into rows, serialized in the form that snapshot/snapshot.py expects.

import { isPdfViewer, startReading, truncate } from '../dom.js';
import { boxOf } from '../geometry.js';
import { elementOf, knownRef, refOf } from '../refs.js';
import { joinProse, RowBuilder } from './row_builder.js';
import { PageWalker } from './walker.js';

/** @import { Row } from './row_builder.js' */
/** @typedef {{ full?: boolean, skip?: number, start?: string | null, limit?: number, boxes?: boolean, root?: string | null,
 *   timeLimitMs?: number, known?: string }} ReadOptions `start` is the ref of the first row, `known` the mark of the caller's last snapshot. */
/** The serialized rows; how many come before and after them; whether the root exists.
 * @typedef {{ rows: string[], before: number, rest: number, found: boolean, metShadowRoots: boolean }} Reading */

const MAX_VALUE_LENGTH = 300;
const MAX_FULL_VALUE_LENGTH = 10_000;

/** @param {ReadOptions} options @returns {Reading} */
export function walkPage(options) {
  const root = options.root ? elementOf(options.root) : document.body ?? document.documentElement;
  const { full = false, skip = 0, start = null, limit = Infinity, timeLimitMs = Infinity } = options;
  startReading();
  const builder = new RowBuilder({ startRef: start, skip, maxRows: limit });
  const walker = new PageWalker(builder, { full, deadline: performance.now() + timeLimitMs });
  if (root) walker.walk(root);
  const rows = isPdfViewer() && root ? [{ ...walker.makeRow(root, 'embed', false, ''), name: 'PDF document' }] : joinProse(builder.rows);
  const startIndex = start === null ? -1 : rows.findIndex((row) => knownRef(row.element) === start);
  const before = Math.min(startIndex < 0 ? skip : startIndex, rows.length);
  const serialized = rows.slice(before, before + limit).map((row) => JSON.stringify(serializeRow(row, full, options.boxes === true)));
  return {
    rows: serialized,
    before,
    rest: walker.rest + Math.max(0, rows.length - before - serialized.length),
    found: root !== null,
    metShadowRoots: walker.metShadowRoots,
  };
}

/** Ref, role, name or parts, states, value, actionable, frame, url, box. @param {Row} row @param {boolean} full @param {boolean} boxes @returns {unknown[]} */
function serializeRow(row, full, boxes) {
  const plainName = row.name || (row.parts?.map((part) => (typeof part === 'string' ? part : part.name)).join('') ?? '');
  const ref = refOf(row.element, row.role, plainName);
  const parts = row.parts?.map((part) => (typeof part === 'string' ? part : serializeRow(part, full, boxes)));
  const value = row.value === null ? null : truncate(row.value, full ? MAX_FULL_VALUE_LENGTH : MAX_VALUE_LENGTH);
  return [ref, row.role, parts ?? row.name, row.states, value, row.actionable ? 1 : 0, row.frame, row.url, boxes ? boxOf(row.element) : null];
}
