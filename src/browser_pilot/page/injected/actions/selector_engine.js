// Finds elements by what a caller says of them: a ref, a CSS selector, a text, a role and name, or an XPath.

/** @typedef {{ ref?: string, css?: string, text?: string, role?: string, name?: string, exact?: boolean, regex?: boolean,
 *   xpath?: string, index?: number }} Wanted */

const CANDIDATES_SHOWN = 8;
const CONTENT_TAGS_SKIPPED = 'script, style, noscript, template, head, title';

/** All elements of the page in order, through open and known closed shadow roots. @param {Document | ShadowRoot | Element} root @returns {Generator<Element>} */
function* everyElement(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = /** @type {Element} */ (node);
    yield element;
    const shadow = rootOf(element);
    if (shadow) yield* everyElement(shadow);
  }
}

/** @param {string} selector @returns {Element[]} */
function byCss(selector) {
  const found = [...document.querySelectorAll(selector)];
  for (const element of everyElement(document)) {
    const shadow = rootOf(element);
    if (shadow) found.push(...shadow.querySelectorAll(selector));
  }
  return found;
}

/** How a wanted name or text is compared. @param {string} wanted @param {boolean} exact @param {boolean} regex @returns {(text: string) => boolean} */
function matcher(wanted, exact, regex) {
  if (regex) {
    const pattern = new RegExp(wanted, 'iu');
    return (text) => pattern.test(text);
  }
  const lower = tidy(wanted).toLowerCase();
  if (exact) return (text) => text.toLowerCase() === lower;
  return (text) => text.toLowerCase().includes(lower);
}

/** The innermost elements with a text. @param {Wanted} wanted @returns {Element[]} */
function byText(wanted) {
  const matches = matcher(wanted.text ?? '', wanted.exact === true, wanted.regex === true);
  const found = [];
  for (const element of everyElement(document.body ?? document)) {
    if (element.matches(CONTENT_TAGS_SKIPPED)) continue;
    const isButton = element instanceof HTMLInputElement && ['button', 'submit', 'reset'].includes(element.type);
    if (!matches(tidy(isButton ? element.value : element.textContent ?? '')) || !isRendered(element)) continue;
    if ([...element.children].some((child) => matches(tidy(child.textContent ?? '')) && isRendered(child))) continue;
    found.push(element);
  }
  return found;
}

/** @param {Wanted} wanted @returns {Element[]} */
function byRole(wanted) {
  const role = (wanted.role ?? '').toLowerCase();
  const found = [];
  for (const element of everyElement(document)) {
    if (!hasRole(element, role) || !isRendered(element)) continue;
    if (wanted.name === undefined || namedAs(element, wanted)) found.push(element);
  }
  return found;
}

// Roles that say less of a thing than that it can be clicked: a snapshot calls such a thing a click.
const TOLD_AS_CLICKABLE = new Set(['generic', 'paragraph', 'listitem', 'cell', 'gridcell', 'term', 'definition']);

/** @param {Element} element @param {string} role */
function hasRole(element, role) {
  const own = roleOf(element);
  if (own === role) return true;
  if (role === 'textbox') return FIELD_ROLES.has(own) && !['combobox', 'slider', 'file', 'color'].includes(own);
  if (/^h[1-6]$/.test(role)) return own === 'heading' && levelOf(element, own) === role[1];
  if (role === 'click') return TOLD_AS_CLICKABLE.has(own) && isClickable(element);
  return (role === 'image' && own === 'img') || (role === 'item' && own === 'listitem') || (role === 'combobox' && own === 'listbox');
}

/** @param {Element} element */
function isClickable(element) {
  const parent = parentOf(element);
  return isActionable(element, tagOf(element), 'generic', lookOf(element), parent !== null && lookOf(parent).cursor === 'pointer');
}

/** @param {Element} element @param {Wanted} wanted */
function namedAs(element, wanted) {
  const matches = matcher(wanted.name ?? '', wanted.exact === true, wanted.regex === true);
  const role = roleOf(element);
  if (matches(nameOf(element, role))) return true;
  const shown = TOLD_AS_CLICKABLE.has(role) ? tidy(element.textContent ?? '') : shownName(element, role);
  if (!shown) return matches(describe(element));
  return matches(shown);
}

/** @param {string} expression @returns {Element[]} */
function byXpath(expression) {
  const result = document.evaluate(expression, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  const found = [];
  for (let index = 0; index < result.snapshotLength; index++) {
    const node = result.snapshotItem(index);
    if (node instanceof Element) found.push(node);
  }
  return found;
}

/** @param {Wanted} wanted @returns {Element[]} */
function locateAll(wanted) {
  startReading();
  focused = focusedElement();
  if (wanted.css !== undefined) return preferRendered(byCss(wanted.css));
  if (wanted.xpath !== undefined) return preferRendered(byXpath(wanted.xpath));
  if (wanted.text !== undefined) return preferExact(byText(wanted), wanted, (element) => tidy(element.textContent ?? ''));
  return preferExact(byRole(wanted), wanted, (element) => nameOf(element, roleOf(element)));
}

/** Elements that cannot be seen do not compete with those that can. @param {Element[]} found */
function preferRendered(found) {
  const rendered = found.filter((element) => isRendered(element));
  return rendered.length ? rendered : found;
}

/**
 * One whole match beats many partial ones.
 * @param {Element[]} found @param {Wanted} wanted @param {(element: Element) => string} textOf
 */
function preferExact(found, wanted, textOf) {
  const sought = wanted.text ?? wanted.name;
  if (found.length < 2 || wanted.regex || sought === undefined) return found;
  const whole = found.filter((element) => textOf(element).toLowerCase() === tidy(sought).toLowerCase());
  return whole.length ? whole : found;
}

/** What to tell of an element outside a walk. @param {Element} element */
function tell(element) {
  const role = roleOf(element);
  const shown = role === 'generic' && isClickable(element) ? 'click' : role;
  const text = tidy(element.textContent ?? '');
  const name = shownName(element, role) || (WIDGET_ROLES.has(role) || shown === 'click' ? text || describe(element) : text);
  return [refOf(element, shown, shorten(name, 80)), shown, shorten(name, 80), statesOf(element, role)];
}

/**
 * Finds what is wanted: how many there are, and the first of them with their refs.
 * @param {Wanted} wanted
 */
pilot.locate = function locate(wanted) {
  if (wanted.ref !== undefined) return locateRef(wanted.ref);
  try {
    const found = locateAll(wanted);
    return { count: found.length, candidates: found.slice(0, CANDIDATES_SHOWN).map(tell), lastRef: nextRef - 1 };
  } catch (error) {
    return { invalid: error instanceof Error ? error.message : String(error), count: 0, candidates: [], lastRef: nextRef - 1 };
  }
};

/** @param {string} ref */
function locateRef(ref) {
  startReading();
  focused = focusedElement();
  const entry = entries.get(ref);
  const element = elementOf(ref);
  if (element && entry) {
    return { count: 1, candidates: [[ref, entry.role, entry.name, []]], lastRef: nextRef - 1 };
  }
  const was = entry ? [entry.role, entry.name] : null;
  const alike = entry ? [...everyElement(document.body ?? document)].filter((other) => isAlike(other, entry)) : [];
  return { count: 0, was, candidates: alike.slice(0, CANDIDATES_SHOWN).map(tell), lastRef: nextRef - 1 };
}

/** @param {Element} element @param {Entry} entry */
function isAlike(element, entry) {
  const role = roleOf(element);
  if (entry.role === 'click' || entry.role === 'text' || entry.role === 'item') {
    return tidy(element.textContent ?? '') === entry.name && ![...element.children].some((child) => tidy(child.textContent ?? '') === entry.name);
  }
  return role === entry.role && shownName(element, role) === entry.name && isRendered(element);
}

/** The things on the page that could be meant, for a caller whose element was not found. @param {number} limit */
pilot.actionables = function actionables(limit) {
  startReading();
  focused = focusedElement();
  const found = [];
  for (const element of everyElement(document.body ?? document)) {
    if (found.length >= limit) break;
    if (WIDGET_ROLES.has(roleOf(element)) && isRendered(element)) found.push(element);
  }
  return { rows: found.map(tell), lastRef: nextRef - 1 };
};
