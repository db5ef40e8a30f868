/** What `selectors.js` wants to know about an element of this page, and how many elements a selector finds in it. No module: injected. */

globalThis.browserPilotPage ??= (() => {
  const { roleOf, nameOf, isRendered, tidy } = globalThis.browserPilotWords;
  const { choose } = globalThis.browserPilotSelectors;
  const ROWS = 'tr, li, article, fieldset, section, dl, form, label, p, details, [role=row], [role=listitem], [role=group], [role=article], [role=region], [role=dialog]';
  const HEADINGS = 'h1, h2, h3, h4, h5, h6, dt, legend, caption, summary, [role=heading]';
  const MOST_TEXTS = 6;
  const MOST_HEADINGS = 3;
  const LONGEST_TEXT = 60;
  const DEEPEST = 12;

  /** Elements of the whole page, through open shadow roots. @param {Document | ShadowRoot} root @returns {Generator<Element>} */
  function* everyElement(root) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* everyElement(element.shadowRoot);
    }
  }

  /** @param {Element} element */
  function parentOf(element) {
    return element.parentElement ?? (element.parentNode instanceof ShadowRoot ? element.parentNode.host : null);
  }

  /** @param {Element} element @param {boolean} whole whether its role, name and text are wanted */
  function factsOf(element, whole) {
    const siblings = [...(element.parentElement?.children ?? [])].filter((one) => one.localName === element.localName);
    const role = whole ? roleOf(element) : 'generic';
    return {
      tag: element.localName,
      role,
      name: whole ? nameOf(element, role) : '',
      text: whole ? plain(element.textContent ?? '') : '',
      id: element.id,
      classes: [...element.classList],
      attributes: Object.fromEntries([...element.attributes].map((one) => [one.name, one.value])),
      place: siblings.length > 1 ? siblings.indexOf(element) + 1 : 0,
    };
  }

  /** Short texts that tell this row from others. @param {Element} row */
  function textsOf(row) {
    const texts = new Set();
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && texts.size < MOST_TEXTS; node = walker.nextNode()) {
      const text = plain(node.nodeValue ?? '');
      if (text && text.length <= LONGEST_TEXT && !/\u00a0/.test(text) && /\p{L}|\d/u.test(text)) texts.add(text);
    }
    return [...texts];
  }

  /** Text right before an element, which often names it. @param {Element} element */
  function labelsOf(element) {
    const labels = [];
    for (let node = element, depth = 0; node.parentElement && depth < 3; node = node.parentElement, depth++) {
      const before = node.previousElementSibling;
      const text = plain(before?.textContent ?? '');
      if (text && text.length <= LONGEST_TEXT && before?.childElementCount === 0) labels.push(text);
    }
    return labels;
  }

  /** The headings that the element comes under, nearest first, and how far it is from them. @param {Element} element */
  function headingsOf(element) {
    if (element.getRootNode() !== document) return [];
    const text = plain(element.textContent ?? '');
    /** @type {{ tag: string, text: string, same: number, any: number }[]} */
    const found = [];
    const before = [...document.querySelectorAll(HEADINGS)].filter((one) => isBefore(one, element) && !one.contains(element));
    const alike = [...document.getElementsByTagName(element.localName)];
    for (const heading of before.reverse()) {
      if (found.length >= MOST_HEADINGS) break;
      const words = plain(heading.textContent ?? '');
      if (!words || words.length > LONGEST_TEXT || found.some((one) => one.text === words)) continue;
      const between = alike.filter((one) => isBefore(heading, one) && !heading.contains(one) && (one === element || isBefore(one, element)));
      found.push({ tag: heading.localName, text: words, any: between.length, same: between.filter((one) => plain(one.textContent ?? '') === text).length });
    }
    return found;
  }

  /** White space as XPath normalizes it. @param {string} text */
  function plain(text) {
    return text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
  }

  /** @param {Element} one @param {Element} other */
  function isBefore(one, other) {
    return Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  /** @param {Element} element */
  function describe(element) {
    const around = [];
    const rows = [];
    for (let node = parentOf(element), depth = 1; node && node !== document.documentElement; node = parentOf(node), depth++) {
      around.push(factsOf(node, false));
      if (depth <= DEEPEST && node.matches(ROWS)) rows.push({ tag: node.localName, depth, texts: textsOf(node) });
    }
    if (element.matches(ROWS)) rows.unshift({ tag: element.localName, depth: 0, texts: textsOf(element) });
    return { target: factsOf(element, true), around, rows: rows.slice(0, 3), labels: labelsOf(element), headings: headingsOf(element) };
  }

  /** @param {Element[]} found */
  function preferRendered(found) {
    const rendered = found.filter(isRendered);
    return rendered.length ? rendered : found;
  }

  /** The elements that a selector finds, as the hub would find them. @param {string} selector @returns {Element[]} */
  function find(selector) {
    const role = /^role=([\w-]+)\[name="(.*)"\]$/s.exec(selector);
    if (role) {
      const wanted = (role[2] ?? '').toLowerCase();
      return [...everyElement(document)].filter((one) => isOfRole(roleOf(one), role[1] ?? '') && isRendered(one) && nameOf(one).toLowerCase() === wanted);
    }
    const text = /^text="(.*)"$/s.exec(selector);
    if (text) {
      const wanted = (text[1] ?? '').toLowerCase();
      /** @param {Element} one */
      const says = (one) => tidy(one.textContent ?? '').toLowerCase() === wanted && isRendered(one);
      return [...everyElement(document)].filter((one) => !one.matches('head, head *, script, style, noscript, template') && says(one) && ![...one.children].some(says));
    }
    if (selector.startsWith('/')) {
      const result = document.evaluate(selector, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
      const found = Array.from({ length: result.snapshotLength }, (_, index) => result.snapshotItem(index));
      return preferRendered(found.filter((one) => one instanceof Element));
    }
    const roots = [document, ...[...everyElement(document)].flatMap((one) => (one.shadowRoot ? [one.shadowRoot] : []))];
    return preferRendered(roots.flatMap((root) => [...root.querySelectorAll(selector)]));
  }

  /** A searchbox is a textbox too. @param {string} own @param {string} wanted */
  function isOfRole(own, wanted) {
    return own === wanted || (wanted === 'textbox' && ['searchbox', 'spinbutton', 'date', 'time', 'month', 'week', 'datetime'].includes(own)) || (wanted === 'combobox' && own === 'listbox');
  }

  /** Selectors for an element, the best one first. @param {Element} element */
  function selectorsOf(element) {
    return choose(describe(element), (selector) => {
      const found = find(selector);
      return found.includes(element) ? found.length : 0;
    });
  }

  return { selectorsOf, find, describe };
})();
