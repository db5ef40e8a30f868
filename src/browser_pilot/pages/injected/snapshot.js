// The snapshot: one walk, its rows with refs, in one string.

/** @param {WalkOptions} settings @returns {string} */
pilot.snapshot = function snapshot(settings) {
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
  startRef = settings.start ?? null;
  searched = 0;
  wantedRows = settings.limit ?? Infinity;
  rowLimit = startRef === null ? (settings.skip ?? 0) + wantedRows : Infinity;
  deadline = performance.now() + (settings.timeLimitMs ?? Infinity);
  if (root) visitElement(root, { block: root, hidden: '', quiet: false, joined: false, look: lookOf(root.parentElement ?? root) });
  flushLine();
  rows = joinProse(rows);
  const found = startRef === null ? -1 : rows.findIndex((row) => refs.get(row.element) === startRef);
  const first = Math.min(found < 0 ? settings.skip ?? 0 : found, rows.length);
  const told = rows.slice(first, first + wantedRows).map((row) => written(row, settings.boxes === true));
  const answer = {
    document: documentToken, url: location.href, title: document.title, rows: told, before: first,
    rest: rest + Math.max(0, rows.length - first - told.length), found: root !== null, lastRef: nextRef - 1, suspects: suspects.length,
    unheard: unheard.length,
  };
  rows = [];
  owners = new Set();
  return JSON.stringify(answer);
};

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
