// Walks the page once and tells it in rows: what can be read and what can be acted on, in the order of the page.
//
// Text and small inline things of one block share a line; a line is one row. Blocks that carry nothing are left out, and no
// text is told twice. See lines.js for how lines become rows and view.py for what the rows mean.

/** @typedef {{ element: Element | Text, role: string, name: string, parts: (string | Row)[] | null, states: string[],
 *   value: string | null, actionable: boolean, frame: number | null, url: string | null }} Row */
/** @typedef {{ block: Element, hidden: string, quiet: boolean, joined: boolean, look: Look }} Place */
/** @typedef {{ full?: boolean, skip?: number, start?: string | null, limit?: number, boxes?: boolean, root?: string | null, timeLimitMs?: number, known?: string }} WalkOptions */

const ATOMIC_ROLES = new Set([
  'link', 'button', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'checkbox', 'radio', 'switch', 'treeitem',
  'img', 'progressbar', 'meter', 'scrollbar', 'video', 'audio', 'canvas', 'embed', 'object', 'math',
]);
const SHOWN_ALWAYS = new Set([
  'heading', 'navigation', 'main', 'banner', 'contentinfo', 'complementary', 'search', 'dialog', 'alertdialog', 'alert', 'status',
  'log', 'tooltip', 'tabpanel', 'region', 'form', 'timer', 'feed',
]);
const SHOWN_WHEN_NAMED = new Set([
  'group', 'radiogroup', 'toolbar', 'menu', 'menubar', 'tablist', 'listbox', 'tree', 'treegrid', 'grid', 'table', 'list', 'article',
  'figure', 'application', 'document', 'marquee', 'blockquote', 'note',
]);
const ACTIONABLE_INSIDE =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, video, audio, [onclick], [contenteditable], '
  + '[role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=menuitem], [role=treeitem], [role=option], '
  + '[role=tab], [role=textbox], [role=combobox], [tabindex]:not([tabindex="-1"])';
const COUNTED = `${ACTIONABLE_INSIDE}, p, li, h1, h2, h3, h4, h5, h6, tr, dt, dd, pre, label`;
const BLOCKS_IN_ROW = 'table, iframe, h1, h2, h3, h4, h5, h6, ul, ol, dl, form, textarea, [contenteditable], video, pre';
const NAMING_TAGS = new Set(['LEGEND', 'CAPTION', 'FIGCAPTION']);
// Boxes of their own that stand in a line as words do.
const GLUED_TAGS = new Set(['BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'IMG', 'A', 'SUP', 'SUB']);
const LONGEST_TABLE_ROW = 800;
// A listener on something larger listens for what is inside it.
const LARGEST_LISTENER = 12;
const MOST_SUSPECTS = 20;
const MOST_SHAPES = 100;
const MOST_ROOTS = 50;
const MAY_HAVE_ROOT = /^(DIV|SPAN|SECTION|ARTICLE|ASIDE|HEADER|FOOTER|MAIN|NAV|P|BLOCKQUOTE|H[1-6])$|-/;

let walkIsFull = false;
/** @type {Element | null} */
let focused = null;
let stopped = false;
let rest = 0;
let visited = 0;
let metRoots = false;
let rowLimit = Infinity;
let wantedRows = Infinity;
/** The row to start from, when it is not the first. @type {string | null} */
let startRef = null;
let searched = 0;
let deadline = Infinity;

/** @param {Node} node @param {Place} place */
function visit(node, place) {
  if (node instanceof Text) {
    if (place.quiet || stopped || !place.look.visible) return;
    addText(node.data, node, isTiny(node, place) ? { ...place, hidden: 'hidden' } : place);
  } else if (node instanceof Element) {
    visitElement(node, place);
  }
}

/** Whether a text is written too small to be read. @param {Text} text @param {Place} place */
function isTiny(text, place) {
  return !place.hidden && text.data.trim() !== '' && parseFloat(place.look.style.fontSize) < 2;
}

/** The same for the text inside an element. @param {Element} element */
function isWrittenTiny(element) {
  let inner = element;
  while (inner.firstElementChild && !ownText(inner)) inner = inner.firstElementChild;
  return parseFloat(lookOf(inner).style.fontSize) < 2;
}

/** @param {Element} element @param {Place} place */
function visitChildren(element, place) {
  const closed = element instanceof HTMLDetailsElement && !element.open && !rootOf(element);
  const generated = place.quiet || stopped || !place.look.visible ? NOTHING_GENERATED : generatedTexts(element);
  if (generated[0]) addText(generated[0], element, place);
  for (const child of childrenOf(element)) {
    if (closed && !(child instanceof Element && child.tagName === 'SUMMARY')) continue;
    visit(child, place);
  }
  if (element.hasAttribute('aria-owns')) for (const owned of referenced(element, 'aria-owns')) visitOwned(owned, place);
  if (generated[1]) addText(generated[1], element, place);
}

/** @param {Element} owned @param {Place} place */
function visitOwned(owned, place) {
  if (!ownedElsewhere.delete(owned)) return;
  visitElement(owned, place);
  ownedElsewhere.add(owned);
}

/** @param {Element} element @param {Place} place */
function visitElement(element, place) {
  const tag = tagOf(element);
  if (SKIPPED_TAGS.has(tag) || ownedElsewhere.has(element)) return;
  if (stopped) {
    rest += element.querySelectorAll(COUNTED).length + (element.matches(COUNTED) ? 1 : 0);
    return;
  }
  if ((++visited & 255) === 0 && performance.now() > deadline) stopped = true;
  if (tag === 'BR') {
    addText(' ', element, place);
    return;
  }
  const look = lookOf(element);
  const unseen = look.display === 'none' || element.getAttribute('hidden') === 'until-found';
  if (unseen || (tag === 'INPUT' && !look.visible)) {
    if (element instanceof HTMLInputElement && element.type === 'file') addItem(makeRow(element, 'file', true, 'hidden'), place);
    return;
  }
  const inline = look.display.startsWith('inline') || look.display === 'contents';
  /** @type {Place} */
  const inner = {
    block: inline ? place.block : element,
    hidden: place.hidden || concealment(element, look, inline),
    quiet: place.quiet,
    joined: place.joined,
    look,
  };
  const breaks = !inline || (look.display !== 'inline' && look.display !== 'contents' && !GLUED_TAGS.has(tag));
  if (breaks) breakLine(element, inner, inline);
  if (element.firstChild === null || tag.includes('-')) suspect(element, tag);
  const root = rootOf(element);
  if (root !== null) metRoots = true;
  if (root !== null && unheard.length < MOST_ROOTS && !heardRoots.has(root)) {
    heardRoots.add(root);
    unheard.push(root);
  }
  if (look.visible) tellElement(element, tag, look, inner, place.look.cursor === 'pointer');
  else visitChildren(element, inner);
  if (breaks) breakLine(element, inner, inline);
}

/** Marks an element that draws something though it seems empty: it may have a closed shadow root. @param {Element} element @param {string} tag */
function suspect(element, tag) {
  if (suspects.length >= MOST_SUSPECTS || !MAY_HAVE_ROOT.test(tag) || suspected.has(element) || rootOf(element)) return;
  if (element.clientHeight < 8 && !tag.includes('-')) return;
  suspected.add(element);
  suspects.push(element);
}

/** @param {Element} element @param {string} tag @param {Look} look @param {Place} place @param {boolean} parentPointer */
function tellElement(element, tag, look, place, parentPointer) {
  const role = roleOf(element);
  if (tag === 'IFRAME' || tag === 'FRAME') return tellFrame(element, place);
  if (tag === 'LABEL' && tellLabel(/** @type {HTMLLabelElement} */ (element), place)) return;
  if (NAMING_TAGS.has(tag) && element.parentElement && NAMING_CHILD[element.parentElement.tagName] === tag) {
    return visitChildren(element, { ...place, quiet: true });
  }
  const actionable = isActionable(element, tag, role, look, parentPointer);
  if (isField(element, role)) return tellField(element, role, place);
  if (ATOMIC_ROLES.has(role)) return tellAtom(element, tag, role, place, actionable);
  if (tag === 'SVG') return tellDrawing(element, place, actionable);
  if (tag === 'IMG') {
    if (actionable || walkIsFull) addItem(makeRow(element, 'img', actionable, place.hidden), place);
    return;
  }
  if (role === 'row' && !place.joined && isPlainRow(element)) return tellTableRow(element, place, actionable);
  if (role === 'listitem' && !place.joined) return tellListItem(element, place, actionable);
  if (place.joined || place.quiet) {
    if (actionable && !place.quiet) return tellInlineClickable(element, place);
    return visitChildren(element, place);
  }
  if (actionable) return tellContainer(element, role === 'generic' || role === 'paragraph' ? 'click' : role, place, true);
  if (SHOWN_ALWAYS.has(role) || (SHOWN_WHEN_NAMED.has(role) && nameOf(element, role))) return tellContainer(element, role, place, false);
  if (role === 'list') return tellList(element, place);
  if (role === 'term' || role === 'definition') return tellDefinition(element, role, place);
  return visitChildren(element, place);
}

/** Whether a person could act on the element itself. @param {Element} element @param {string} tag @param {string} role @param {Look} look @param {boolean} parentPointer */
function isActionable(element, tag, role, look, parentPointer) {
  if (WIDGET_ROLES.has(role) || element.hasAttribute('onclick')) return true;
  if (tag === 'BODY' || tag === 'HTML' || tag === 'LABEL') return false;
  if (look.cursor === 'pointer' && !parentPointer) return true;
  if (listening.has(element) && element.querySelectorAll('*').length <= LARGEST_LISTENER) return true;
  const tabindex = element.getAttribute('tabindex');
  if (tabindex !== null && Number(tabindex) >= 0 && tag !== 'PRE' && role !== 'tabpanel' && role !== 'dialog') return true;
  if (element.getAttribute('draggable') === 'true') return true;
  return ((tag === 'VIDEO' || tag === 'AUDIO') && element.hasAttribute('controls')) || isEditable(element);
}

/** @param {Element} element @param {string} role */
function isField(element, role) {
  if (element instanceof HTMLSelectElement) return true;
  if (!FIELD_ROLES.has(role)) return false;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return true;
  if (isEditable(element)) return (element.textContent ?? '').length <= VALUE_LENGTH;
  return !element.querySelector('input, textarea, [contenteditable]') && !rootOf(element);
}

/** @param {Element} element @param {string} role @param {Place} place */
function tellField(element, role, place) {
  if (place.hidden && labelSpeaksFor(element)) return;
  addItem(makeRow(element, role, true, place.hidden), place);
}

/** Whether a label that can be seen stands for a control that cannot. @param {Element} control */
function labelSpeaksFor(control) {
  const labels = /** @type {HTMLInputElement} */ (control).labels;
  return labels ? [...labels].some((label) => isRendered(label) && !concealment(label, lookOf(label))) : false;
}

/** @param {Element} element @param {string} tag @param {string} role @param {Place} place @param {boolean} actionable */
function tellAtom(element, tag, role, place, actionable) {
  const nested = role !== 'img' && (rootOf(element) !== null || element.querySelector(ACTIONABLE_INSIDE) !== null);
  if (place.hidden && tag === 'INPUT' && labelSpeaksFor(element)) return;
  if (!(place.quiet && !actionable)) {
    const row = makeRow(element, role, actionable, place.hidden);
    const named = row.name && !row.name.startsWith('(');
    if (role !== 'img' || actionable || named || isLarge(element)) addItem(row, place);
  }
  if (nested) visitChildren(element, { ...place, quiet: true });
}

/** @param {Element} element */
function isLarge(element) {
  const box = element.getBoundingClientRect();
  return walkIsFull || (box.width >= 48 && box.height >= 48);
}

/** @param {Element} element @param {Place} place @param {boolean} actionable */
function tellDrawing(element, place, actionable) {
  if (actionable) addItem(makeRow(element, 'click', true, place.hidden), place);
  const speaks = !actionable && element.querySelector('text, foreignObject, a, [onclick], [tabindex]') !== null;
  if (speaks || hasLiveShapes(element, place.look)) visitChildren(element, place);
}

/** Whether shapes of a drawing can be clicked for themselves. @param {Element} drawing @param {Look} look */
function hasLiveShapes(drawing, look) {
  const shapes = [...drawing.querySelectorAll('*')];
  if (shapes.some((shape) => listening.has(shape))) return true;
  return look.cursor !== 'pointer' && shapes.length <= MOST_SHAPES && shapes.some((shape) => lookOf(shape).cursor === 'pointer');
}

/** @param {Element} element @param {Place} place */
function tellFrame(element, place) {
  if (place.quiet || element.clientWidth < 2 || element.clientHeight < 2) return;
  flushLine();
  const row = makeRow(element, 'iframe', false, place.hidden);
  row.name = tidy(element.getAttribute('title') || element.getAttribute('aria-label') || element.getAttribute('name') || '');
  row.frame = frameNumbers.get(element) ?? null;
  rows.push(row);
}

/**
 * A label is not told beside the control that it names; it stands in for one that cannot be seen.
 * @param {HTMLLabelElement} label @param {Place} place @returns {boolean} whether that was all there is to tell
 */
function tellLabel(label, place) {
  const control = label.control;
  if (!control || place.quiet) return false;
  const role = roleOf(control);
  const shown = isRendered(control) && !concealed(control);
  if (!shown && control instanceof HTMLInputElement && control.type !== 'hidden') {
    const row = makeRow(control, role, true, place.hidden);
    row.element = label;
    addItem(row, place);
    visitChildren(label, { ...place, quiet: true });
    return true;
  }
  if (!nameOf(control, role).includes(tidy(contentText(label, new Set([control]), 'generic')))) return false;
  visitChildren(label, { ...place, quiet: true });
  return true;
}

/** Whether an element or one that it stands in is hidden from sight. @param {Element} element */
function concealed(element) {
  for (let node = /** @type {Element | null} */ (element); node && node !== document.body; node = parentOf(node)) {
    if (concealment(node, lookOf(node))) return true;
  }
  return false;
}

/** How an element that is drawn is kept from a person's eyes, if it is. @param {Element} element @param {Look} look @param {boolean} [inline] @returns {string} */
function concealment(element, look, inline = false) {
  if (look.opacity !== '1' && Number(look.opacity) < 0.02) return 'hidden';
  if (look.position === 'absolute' || look.position === 'fixed') return positionedAway(element, look);
  if (inline) return '';
  if (mayClip(look) && (element.clientHeight < 2 || element.clientWidth < 2) && isNothing(element.getBoundingClientRect())) return 'hidden';
  return element.firstChild instanceof Text && parseFloat(look.style.textIndent) < -900 ? 'hidden' : '';
}

/** Styles are read first: to know a size costs more. @param {Look} look */
function mayClip({ style }) {
  return style.overflowX !== 'visible' || style.clipPath !== 'none' || style.contentVisibility === 'hidden';
}

/** @param {DOMRect} box */
function isNothing(box) {
  return box.width < 2 || box.height < 2;
}

/** @param {Element} element @param {Look} look */
function positionedAway(element, look) {
  const box = element.getBoundingClientRect();
  if (isNothing(box)) return mayClip(look) || look.style.clip !== 'auto' ? 'hidden' : '';
  if (/rect\(0px,? 0px,? 0px|rect\(1px,? 1px,? 1px/.test(look.style.clip) || /inset\((50|100)%/.test(look.style.clipPath)) return 'hidden';
  if ((box.right + scrollX <= 0 || box.bottom + scrollY <= 0) && !isScrolledAway(element, box)) return 'offscreen';
  return look.position === 'fixed' && (box.left >= innerWidth || box.top >= innerHeight) ? 'offscreen' : '';
}

/** Whether an element is out of sight only as long as what it stands in is scrolled. @param {Element} element @param {DOMRect} box */
function isScrolledAway(element, box) {
  let { right, bottom } = box;
  for (let node = parentOf(element); node; node = parentOf(node)) {
    right += node.scrollLeft;
    bottom += node.scrollTop;
  }
  return right > 0 && bottom > 0;
}

/** @param {Element} element */
function isPlainRow(element) {
  return !element.querySelector(BLOCKS_IN_ROW) && (element.textContent ?? '').length < LONGEST_TABLE_ROW;
}

/** @param {Element} element @param {Place} place @param {boolean} actionable */
function tellTableRow(element, place, actionable) {
  flushLine();
  let first = true;
  const joined = { ...place, joined: true, block: element };
  for (const cell of childrenOf(element)) {
    if (!(cell instanceof Element) || SKIPPED_TAGS.has(tagOf(cell)) || lookOf(cell).display === 'none') continue;
    if (!first) addSeparator(joined);
    first = false;
    visitElement(cell, joined);
  }
  flushTableRow(element, actionable);
}

/** @param {Element} element @param {Place} place @param {boolean} actionable */
function tellListItem(element, place, actionable) {
  if (actionable && !place.quiet) return tellContainer(element, 'click', place, true);
  const start = rows.length;
  visitChildren(element, place);
  if (place.quiet) return;
  flushLine();
  if (rows.length > start && rows[start].role === 'text') rows[start].role = 'item';
}

/** @param {Element} element @param {Place} place */
function tellList(element, place) {
  const start = rows.length;
  visitChildren(element, place);
  flushLine();
  joinShortItems(element, start);
}

/** A term and the text that defines it share a row. @param {Element} element @param {string} role @param {Place} place */
function tellDefinition(element, role, place) {
  const start = rows.length;
  visitChildren(element, place);
  flushLine();
  if (rows.length === start || !isPlainText(rows[start]) || rows[start].states.length) return;
  const term = rows[start - 1];
  if (role === 'term') rows[start].role = 'term';
  else if (term?.role === 'term' && !term.states.length) append(term, rows.splice(start, 1)[0]);
}

/** @param {Element} element @param {Place} place */
function tellInlineClickable(element, place) {
  const row = makeRow(element, 'click', true, place.hidden);
  const text = tidy(contentText(element, new Set(), 'generic'));
  if (text && (!row.name || row.name.startsWith('('))) row.name = text;
  addItem(row, place);
  if (element.querySelector(ACTIONABLE_INSIDE)) visitChildren(element, { ...place, quiet: true });
}

/** @param {Element} element @param {string} role @param {Place} place @param {boolean} actionable */
function tellContainer(element, role, place, actionable) {
  const inline = place.block !== element;
  if (inline && actionable && !holdsClickables(element) && !isWrittenTiny(element)) return tellInlineClickable(element, place);
  flushLine();
  const row = makeRow(element, role, actionable, place.hidden);
  if (role === 'heading') row.name = '';
  owners.add(element);
  const index = rows.push(row) - 1;
  visitChildren(element, { ...place, block: element });
  flushLine();
  settle(row, index);
}

/** @param {Element} element */
function holdsClickables(element) {
  if (element.querySelector(ACTIONABLE_INSIDE)) return true;
  return [...element.querySelectorAll('*')].some((inner) => listening.has(inner) && isRendered(inner));
}

/** @param {Element} element @param {string} role @param {boolean} actionable @param {string} hidden @returns {Row} */
function makeRow(element, role, actionable, hidden) {
  const states = statesOf(element, role);
  if (hidden) states.push(hidden);
  const name = role === 'click' ? nameOf(element, 'generic') : shownName(element, role);
  const atomic = ATOMIC_ROLES.has(role) || (role === 'click' && !element.textContent?.trim());
  return {
    element, role, states, actionable, parts: null, frame: null,
    name: name || (atomic && (actionable || role === 'img') ? describe(element) : ''),
    value: valueOf(element, role),
    url: walkIsFull && role === 'link' ? element.getAttribute('href') : null,
  };
}
