// Lines: the text and inline things of one block, gathered during the walk and made into rows.

/** @typedef {{ owner: Element | Text, parts: (string | Row)[], hidden: string }} Line */

/** @type {Row[]} */
let rows = [];
/** @type {Line | null} */
let line = null;
/** Elements and texts that already stand for a row in this walk. @type {Set<Element | Text>} */
let owners = new Set();

const SHORT_ITEM = 60;
const LONGEST_CLICKABLE_NAME = 200;

/** @param {string} text @param {Node} source @param {Place} place */
function addText(text, source, place) {
  if (line !== null && line.hidden !== place.hidden && text.trim()) flushLine();
  if (line === null) {
    if (!text.trim()) return;
    line = { owner: place.block, parts: [], hidden: place.hidden };
    if (owners.has(place.block) && source instanceof Text) line.owner = source;
  }
  const last = line.parts.length - 1;
  if (typeof line.parts[last] === 'string') line.parts[last] += text;
  else line.parts.push(text);
}

/** @param {Row} row @param {Place} place */
function addItem(row, place) {
  if (line !== null && FIELD_ROLES.has(row.role) && !place.joined) flushLine();
  if (line === null) line = { owner: place.block, parts: [], hidden: place.hidden };
  line.parts.push(row);
  if (FIELD_ROLES.has(row.role) && !place.joined) flushLine();
}

/** @param {Place} place */
function addSeparator(place) {
  if (line === null) line = { owner: place.block, parts: [], hidden: place.hidden };
  const last = line.parts.length - 1;
  if (typeof line.parts[last] === 'string') line.parts[last] += ' | ';
  else line.parts.push(' | ');
}

/** A block begins or ends. @param {Element} element @param {Place} place @param {boolean} inline */
function breakLine(element, place, inline) {
  if (line === null) return;
  if (inline || place.joined || place.quiet) addText(' ', element, { ...place, hidden: line.hidden });
  else flushLine();
}

/** Ends the line and makes it a row, or a row for each of its things when it has no text of its own. */
function flushLine() {
  const ended = line;
  line = null;
  if (ended === null) return;
  const parts = tidyParts(ended.parts);
  const items = /** @type {Row[]} */ (parts.filter((part) => typeof part !== 'string'));
  if (items.length === parts.length) rows.push(...items);
  else pushLine(ended, parts, items.length > 0, 'text', false);
  if (rows.length > rowLimit) stopped = true;
}

/** @param {Line} ended @param {(string | Row)[]} parts @param {boolean} mixed @param {string} role @param {boolean} actionable */
function pushLine(ended, parts, mixed, role, actionable) {
  owners.add(ended.owner);
  const states = ended.hidden ? [ended.hidden] : [];
  const name = mixed ? '' : /** @type {string} */ (parts[0]);
  rows.push({
    element: ended.owner, role, name, parts: mixed ? parts : null, states, value: null, actionable, frame: null, url: null,
  });
}

/** Ends the line of a table row. @param {Element} element @param {boolean} actionable */
function flushTableRow(element, actionable) {
  const ended = line;
  line = null;
  if (ended === null) return;
  const parts = tidyParts(ended.parts);
  const last = parts.length - 1;
  if (typeof parts[last] === 'string') parts[last] = /** @type {string} */ (parts[last]).replace(/[\s|]+$/, '');
  if (parts[last] === '') parts.pop();
  const texts = parts.filter((part) => typeof part === 'string' && /[^\s|]/.test(part));
  const items = /** @type {Row[]} */ (parts.filter((part) => typeof part !== 'string'));
  if (!texts.length && items.length <= 1 && !actionable) rows.push(...items);
  else if (parts.length) pushLine({ ...ended, owner: element }, parts, items.length > 0, 'row', actionable);
  if (rows.length > rowLimit) stopped = true;
}

/** Joins neighbouring texts and drops what holds none. @param {(string | Row)[]} parts */
function tidyParts(parts) {
  /** @type {(string | Row)[]} */
  const tidied = [];
  parts.forEach((part, index) => {
    if (typeof part !== 'string') {
      tidied.push(part);
      return;
    }
    const text = tidy(part);
    if (!text) return;
    const before = index > 0 && /^\s/.test(part) ? ' ' : '';
    const after = index < parts.length - 1 && /\s$/.test(part) ? ' ' : '';
    tidied.push(before + text + after);
  });
  return tidied;
}

/** @param {Row} row */
function isPlainText(row) {
  return (row.role === 'text' || row.role === 'item') && !row.actionable;
}

/** Makes one row of a container and what it holds, where that says the same. @param {Row} row @param {number} index */
function settle(row, index) {
  const inside = rows.slice(index + 1);
  if (!inside.length) {
    if (!row.name && !row.actionable) rows.length = index;
    return;
  }
  const [only] = inside;
  if (inside.length === 1 && isPlainText(only) && (!row.name || row.name === only.name)) return takeOver(row, only, index);
  const allText = inside.every((inner) => isPlainText(inner) && !inner.parts);
  if (row.role === 'heading') return settleHeading(row, inside, index, allText);
  if (row.role !== 'clickable') return;
  const text = inside.map((inner) => inner.name).join(' ');
  if (allText && text.length <= LONGEST_CLICKABLE_NAME) {
    row.name = row.name || text;
    rows.length = index + 1;
  }
}

/** @param {Row} row @param {Row} only @param {number} index */
function takeOver(row, only, index) {
  row.name = only.name;
  row.parts = only.parts;
  for (const state of only.states) if (!row.states.includes(state)) row.states.push(state);
  rows.length = index + 1;
}

/** @param {Row} row @param {Row[]} inside @param {number} index @param {boolean} allText */
function settleHeading(row, inside, index, allText) {
  const items = inside.filter((inner) => !isPlainText(inner));
  const level = row.states.find((state) => state.startsWith('level '));
  if (items.length === inside.length && items.length === 1 && level) {
    items[0].states.push(level);
    rows.splice(index, inside.length + 1, items[0]);
  } else if (allText) {
    row.name = inside.map((inner) => inner.name).join(' ');
    rows.length = index + 1;
  } else {
    row.name = nameOf(/** @type {Element} */ (row.element), 'heading');
    rows.splice(index, inside.length + 1, row, ...inside.filter((inner) => !isPlainText(inner) || inner.parts));
  }
}

/** A list of short plain items is one row. @param {Element} list @param {number} start */
function joinShortItems(list, start) {
  const items = rows.slice(start);
  if (items.length < 2 || owners.has(list)) return;
  if (!items.every((item) => item.role === 'item' && !item.parts && !item.states.length && item.name.length <= SHORT_ITEM)) return;
  const row = items[0];
  row.element = list;
  row.role = 'list';
  row.name = items.map((item) => item.name).join(' | ');
  rows.length = start + 1;
}
