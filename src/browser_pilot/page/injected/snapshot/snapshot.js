// The snapshot: one walk, its rows with refs, in one string. Rows that whoever asks knows from the last one are not sent again.

/** The rows that were told last, and the mark of that snapshot. @type {{ mark: string, rows: string[] }} */
let lastTold = { mark: '', rows: [] };
let snapshots = 0;

/** The rows of one reading as they are sent, and what else that told.
 * @typedef {{ told: string[], before: number, rest: number, found: boolean }} Reading */

/** @param {WalkOptions} settings @returns {string} */
pilot.snapshot = function snapshot(settings) {
  const { told, ...reading } = foreseen(settings) ?? readNow(settings);
  const [head, tail] = settings.known === lastTold.mark ? inCommon(lastTold.rows, told) : [0, 0];
  lastTold = { mark: `${documentToken}.${++snapshots}`, rows: told };
  const answer = JSON.stringify({
    ...reading, document: documentToken, url: location.href, title: document.title, lastRef: nextRef - 1, suspects: suspects.length,
    unheard: unheard.length, mark: lastTold.mark, head, tail,
  });
  return `${answer.slice(0, -1)},"rows":[${told.slice(head, told.length - tail).join(',')}]}`;
};

/** @param {WalkOptions} settings @returns {Reading} */
function readPage(settings) {
  const root = settings.root ? elementOf(settings.root) : document.body ?? document.documentElement;
  startReading();
  walkIsFull = settings.full === true;
  focused = focusedElement();
  rows = [];
  line = null;
  owners = new Set();
  stopped = false;
  rest = 0;
  visited = 0;
  metRoots = false;
  startRef = settings.start ?? null;
  searched = 0;
  wantedRows = settings.limit ?? Infinity;
  rowLimit = startRef === null ? (settings.skip ?? 0) + wantedRows : Infinity;
  deadline = performance.now() + (settings.timeLimitMs ?? Infinity);
  if (root) visitElement(root, { block: root, hidden: '', quiet: false, joined: false, look: lookOf(root.parentElement ?? root) });
  flushLine();
  rows = pilot.isViewer() && root ? [{ ...makeRow(root, 'embed', false, ''), name: 'PDF document' }] : joinProse(rows);
  const found = startRef === null ? -1 : rows.findIndex((row) => refs.get(row.element) === startRef);
  const before = Math.min(found < 0 ? settings.skip ?? 0 : found, rows.length);
  const told = rows.slice(before, before + wantedRows).map((row) => JSON.stringify(written(row, settings.boxes === true)));
  const reading = { told, before, rest: rest + Math.max(0, rows.length - before - told.length), found: root !== null };
  rows = [];
  owners = new Set();
  return reading;
}

/** How many rows two lists have in common at their beginning, and at their end after that. @param {string[]} old @param {string[]} now */
function inCommon(old, now) {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [head, tail];
}

/** A row as it is sent: ref, role, name or parts, states, value, actionable, frame, url, box. @param {Row} row @param {boolean} boxed @returns {unknown[]} */
function written(row, boxed) {
  const plainName = row.name || (row.parts?.map((part) => (typeof part === 'string' ? part : part.name)).join('') ?? '');
  const ref = refOf(row.element, row.role, plainName);
  const parts = row.parts?.map((part) => (typeof part === 'string' ? part : written(part, boxed)));
  const value = row.value === null ? null : shorten(row.value, walkIsFull ? 10_000 : VALUE_LENGTH);
  return [ref, row.role, parts ?? row.name, row.states, value, row.actionable ? 1 : 0, row.frame, row.url, boxed ? boxOf(row.element) : null];
}

/** @param {Element | Text} node */
function boxOf(node) {
  const range = node instanceof Text ? document.createRange() : null;
  if (range) range.selectNodeContents(node);
  const box = (range ?? /** @type {Element} */ (node)).getBoundingClientRect();
  return [Math.round(box.x), Math.round(box.y), Math.round(box.width), Math.round(box.height)];
}
