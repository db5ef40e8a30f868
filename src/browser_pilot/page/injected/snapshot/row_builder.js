// Lines: the text and inline things of one block, gathered during the walk and made into rows.

/** @typedef {{ block: Element, text: Text | null, parts: (string | Row)[], hidden: string }} Line */

/** @type {Row[]} */
let rows = [];
/** @type {Line | null} */
let line = null;
/** Elements and texts that already stand for a row in this walk. @type {Set<Element | Text>} */
let owners = new Set();

const SHORT_ITEM = 60;
const SEARCH_STEP = 500;
const PROSE = 40;
const JOINED_PROSE = 700;
const LONGEST_CLICKABLE_NAME = 200;

/** @param {string} text @param {Node} source @param {Place} place */
function addText(text, source, place) {
  if (line !== null && line.hidden !== place.hidden && text.trim()) flushLine();
  if (line === null) {
    if (!text.trim()) return;
    line = newLine(place);
  }
  if (line.text === null && source instanceof Text) line.text = source;
  const last = line.parts.length - 1;
  if (typeof line.parts[last] === 'string') line.parts[last] += text;
  else line.parts.push(text);
}

/** @param {Place} place @returns {Line} */
function newLine(place) {
  return { block: place.block, text: null, parts: [], hidden: place.hidden };
}

/** @param {Row} row @param {Place} place */
function addItem(row, place) {
  if (line !== null && FIELD_ROLES.has(row.role) && !place.joined) flushLine();
  line ??= newLine(place);
  line.parts.push(row);
  if (FIELD_ROLES.has(row.role) && !place.joined) flushLine();
}

/** @param {Place} place */
function addSeparator(place) {
  line ??= newLine(place);
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
  checkLimit();
}

/** Stops the walk when it has all rows that were asked for: so many after the one to start from, once that one is there. */
function checkLimit() {
  if (startRef !== null && rows.length > searched + SEARCH_STEP) {
    for (; searched < rows.length; searched++) if (refs.get(rows[searched].element) === startRef) rowLimit = searched + wantedRows;
  }
  if (rows.length > rowLimit) stopped = true;
}

/** @param {Line} ended @param {(string | Row)[]} parts @param {boolean} mixed @param {string} role @param {boolean} actionable */
function pushLine(ended, parts, mixed, role, actionable) {
  const owner = owners.has(ended.block) && ended.text ? ended.text : ended.block;
  owners.add(owner);
  const states = ended.hidden ? [ended.hidden] : [];
  const name = mixed ? '' : /** @type {string} */ (parts[0]);
  rows.push({
    element: owner, role, name, parts: mixed ? parts : null, states, value: null, actionable, frame: null, url: null,
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
  else if (parts.length) pushLine({ ...ended, block: element }, parts, items.length > 0, 'row', actionable);
  checkLimit();
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
  if (inside.length === 1 && only.actionable && isMereWrapper(row)) return void rows.splice(index, 1);
  const seen = inside.every((inner) => inner.states.every((state) => row.states.includes(state)));
  if (seen && inside.length === 1 && isPlainText(only) && (!row.name || row.name === only.name)) return takeOver(row, only, index);
  const allText = seen && inside.every((inner) => isPlainText(inner) && !inner.parts);
  if (row.role === 'heading') return settleHeading(row, inside, index, allText);
  if (row.role !== 'click') return;
  if (!row.name && !seen && inside.every((inner) => isPlainText(inner))) row.name = describe(/** @type {Element} */ (row.element));
  const text = inside.map((inner) => inner.name).join(' ');
  if (allText && text.length <= LONGEST_CLICKABLE_NAME) {
    row.name = row.name || text;
    rows.length = index + 1;
  }
}

/** Whether a row has nothing to say or do but what is in it. @param {Row} row */
function isMereWrapper({ role, name, states, element }) {
  return role === 'click' && (!name || name.startsWith('(')) && !states.length && !listening.has(/** @type {Element} */ (element))
    && !(/** @type {Element} */ (element).matches('[onclick], [tabindex], [role], [draggable=true]'));
}

/** @param {Row} row @param {Row} only @param {number} index */
function takeOver(row, only, index) {
  row.name = only.name;
  row.parts = only.parts;
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

/** Whether a row is a longer piece of text, perhaps with links in it. @param {Row} row */
function isProse(row) {
  if (!isPlainText(row) || row.states.length) return false;
  return row.parts ? row.parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0) >= PROSE : row.name.length >= PROSE;
}

/**
 * Joins neighbouring rows of prose. Where a joined row ends depends on the texts themselves, so that a text that comes or goes
 * changes one row and not all that follow.
 * @param {Row[]} told @returns {Row[]}
 */
function joinProse(told) {
  /** @type {Row[]} */
  const joined = [];
  let room = 0;
  for (const row of told) {
    const last = joined[joined.length - 1];
    const prose = isProse(row);
    if (prose && room > 0) append(last, row);
    else joined.push(row);
    if (!prose) {
      room = 0;
      continue;
    }
    const length = row.parts ? PROSE * 4 : row.name.length;
    if (room <= 0) room = JOINED_PROSE;
    room = length % 5 === 0 ? 0 : room - length;
  }
  return joined;
}

/** @param {Row} row @param {Row} next */
function append(row, next) {
  const mark = row.role === 'term' ? ': ' : next.role === 'item' ? ' • ' : '\n';
  if (row.role === 'term') row.role = 'text';
  if (!row.parts && !next.parts) {
    row.name += mark + next.name;
  } else {
    row.parts = [...(row.parts ?? [row.name]), mark, ...(next.parts ?? [next.name])];
    row.name = '';
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
