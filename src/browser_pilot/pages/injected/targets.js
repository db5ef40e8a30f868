// Finds elements by selector, text, or role and name, in this frame and its shadow roots.

/** @param {{ css?: string, text?: string, role?: string, name?: string | null }} query @param {number} limit */
pilot.matches = function matches(query, limit) {
  /** @type {Element[]} */
  let found;
  try {
    found = everyRoot().flatMap((root) => matchesIn(root, query));
  } catch (error) {
    return { bad: /** @type {Error} */ (error).message };
  }
  const told = found.slice(0, limit).map((element) => {
    const role = roleOf(element);
    const ref = refOf(element, role, nameOf(element, role));
    return { ref, words: inWords(element) };
  });
  return { rows: told, lastRef: nextRef - 1 };
};

/** The document and every shadow root in it. @returns {(Document | ShadowRoot)[]} */
function everyRoot() {
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      const inner = rootOf(element);
      if (inner) roots.push(inner);
    }
  }
  return roots;
}

/** @param {Document | ShadowRoot} root @param {{ css?: string, text?: string, role?: string, name?: string | null }} query */
function matchesIn(root, query) {
  if (query.css !== undefined) return [...root.querySelectorAll(query.css)];
  const all = [...root.querySelectorAll('body *, :host *')];
  const every = root === document ? all : [...root.querySelectorAll('*')];
  if (query.role !== undefined) {
    const name = query.name?.toLowerCase();
    return every.filter((element) => roleOf(element) === query.role && element.checkVisibility()
      && (name === undefined || nameOf(element, String(query.role)).toLowerCase() === name));
  }
  const text = String(query.text).toLowerCase();
  const having = every.filter((element) => element.checkVisibility() && tidy(element.textContent ?? '').toLowerCase().includes(text));
  return having.filter((element) => !having.some((other) => other !== element && element.contains(other)));
}
