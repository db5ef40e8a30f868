/**
 * The picker's selectors in this page: describes an element for `selector_generator.js`, and finds the elements that a selector matches,
 * as the hub resolves it. Not a module, see `globals.d.ts`.
 */

globalThis.browserPilotPageSelectors ??= (() => {
  const { roleOf, nameOf } = globalThis.browserPilotAccname;
  const { rankSelectors } = globalThis.browserPilotSelectorGenerator;
  const CONTAINERS = 'tr, li, article, fieldset, section, dl, form, label, p, details, [role=row], [role=listitem], [role=group], [role=article], [role=region], [role=dialog]';
  const HEADINGS = 'h1, h2, h3, h4, h5, h6, dt, legend, caption, summary, [role=heading]';
  const MAX_TEXTS = 6;
  const MAX_HEADINGS = 3;
  const MAX_TEXT_LENGTH = 60;
  const MAX_CONTAINER_DEPTH = 12;

  /** All elements of the page, also in open shadow roots. @param {Document | ShadowRoot} root @returns {Generator<Element>} */
  function* allElements(root) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* allElements(element.shadowRoot);
    }
  }

  /** @param {Element} element */
  function parentOf(element) {
    return element.parentElement ?? (element.parentNode instanceof ShadowRoot ? element.parentNode.host : null);
  }

  /** @param {Element} element @param {boolean} withContent whether role, name and text are needed */
  function factsOf(element, withContent) {
    const siblings = [...(element.parentElement?.children ?? [])].filter((one) => one.localName === element.localName);
    return {
      tag: element.localName,
      role: withContent ? roleOf(element) : 'generic',
      name: withContent ? nameOf(element) : '',
      text: withContent ? normalizeSpace(element.textContent ?? '') : '',
      id: element.id,
      classes: [...element.classList],
      attributes: Object.fromEntries([...element.attributes].map((one) => [one.name, one.value])),
      position: siblings.length > 1 ? siblings.indexOf(element) + 1 : 0,
    };
  }

  /** Short texts that distinguish a container from others. @param {Element} container */
  function textsOf(container) {
    const texts = new Set();
    const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && texts.size < MAX_TEXTS; node = walker.nextNode()) {
      const text = normalizeSpace(node.nodeValue ?? '');
      if (text && text.length <= MAX_TEXT_LENGTH && !/\u00a0/.test(text) && /\p{L}|\d/u.test(text)) texts.add(text);
    }
    return [...texts];
  }

  /** Text right before an element, which is often its label. @param {Element} element */
  function labelsOf(element) {
    const labels = [];
    for (let node = element, depth = 0; node.parentElement && depth < 3; node = node.parentElement, depth++) {
      const before = node.previousElementSibling;
      const text = normalizeSpace(before?.textContent ?? '');
      if (text && text.length <= MAX_TEXT_LENGTH && before?.childElementCount === 0) labels.push(text);
    }
    return labels;
  }

  /** The headings before the element, nearest first, and its distance from them. @param {Element} element */
  function headingsOf(element) {
    if (element.getRootNode() !== document) return [];
    const text = normalizeSpace(element.textContent ?? '');
    /** @type {{ tag: string, text: string, sameText: number, sameTag: number }[]} */
    const found = [];
    const before = [...document.querySelectorAll(HEADINGS)].filter((one) => isBefore(one, element) && !one.contains(element));
    const sameTag = [...document.getElementsByTagName(element.localName)];
    for (const heading of before.reverse()) {
      if (found.length >= MAX_HEADINGS) break;
      const title = normalizeSpace(heading.textContent ?? '');
      if (!title || title.length > MAX_TEXT_LENGTH || found.some((one) => one.text === title)) continue;
      const between = sameTag.filter((one) => isBefore(heading, one) && !heading.contains(one) && (one === element || isBefore(one, element)));
      found.push({ tag: heading.localName, text: title, sameTag: between.length, sameText: between.filter((one) => normalizeSpace(one.textContent ?? '') === text).length });
    }
    return found;
  }

  /** Like XPath's normalize-space(). @param {string} text */
  function normalizeSpace(text) {
    return text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
  }

  /** @param {Element} one @param {Element} other */
  function isBefore(one, other) {
    return Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  /** @param {Element} element */
  function describe(element) {
    const ancestors = [];
    const containers = [];
    for (let node = parentOf(element), depth = 1; node && node !== document.documentElement; node = parentOf(node), depth++) {
      ancestors.push(factsOf(node, false));
      if (depth <= MAX_CONTAINER_DEPTH && node.matches(CONTAINERS)) containers.push({ tag: node.localName, depth, texts: textsOf(node) });
    }
    if (element.matches(CONTAINERS)) containers.unshift({ tag: element.localName, depth: 0, texts: textsOf(element) });
    return { target: factsOf(element, true), ancestors, containers: containers.slice(0, 3), labels: labelsOf(element), headings: headingsOf(element) };
  }

  /** @param {Element} element */
  function isRendered(element) {
    return element.checkVisibility({ visibilityProperty: true });
  }

  /** @param {Element[]} found */
  function preferRendered(found) {
    const rendered = found.filter(isRendered);
    return rendered.length ? rendered : found;
  }

  /** @param {string} selector @returns {Element[]} */
  function findAll(selector) {
    const role = /^role=([\w-]+)\[name="(.*)"\]$/s.exec(selector);
    if (role) {
      const wanted = (role[2] ?? '').toLowerCase();
      return [...allElements(document)].filter((one) => matchesRole(roleOf(one), role[1] ?? '') && isRendered(one) && nameOf(one).toLowerCase() === wanted);
    }
    const text = /^text="(.*)"$/s.exec(selector);
    if (text) {
      const wanted = (text[1] ?? '').toLowerCase();
      /** @param {Element} one */
      const hasText = (one) => (one.textContent ?? '').replace(/\s+/g, ' ').trim().toLowerCase() === wanted && isRendered(one);
      return [...allElements(document)].filter((one) => !one.matches('head, head *, script, style, noscript, template') && hasText(one) && ![...one.children].some(hasText));
    }
    if (selector.startsWith('/')) {
      const result = document.evaluate(selector, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
      const found = Array.from({ length: result.snapshotLength }, (_, index) => result.snapshotItem(index));
      return preferRendered(found.filter((one) => one instanceof Element));
    }
    const roots = [document, ...[...allElements(document)].flatMap((one) => (one.shadowRoot ? [one.shadowRoot] : []))];
    return preferRendered(roots.flatMap((root) => [...root.querySelectorAll(selector)]));
  }

  /** Subclass roles count as their superclass: a searchbox is a textbox too. @param {string} role @param {string} wanted */
  function matchesRole(role, wanted) {
    return role === wanted || (wanted === 'textbox' && ['searchbox', 'spinbutton', 'date', 'time', 'month', 'week', 'datetime'].includes(role)) || (wanted === 'combobox' && role === 'listbox');
  }

  /** Selectors for an element, best first. @param {Element} element */
  function selectorsOf(element) {
    return rankSelectors(describe(element), (selector) => {
      const found = findAll(selector);
      return found.includes(element) ? found.length : 0;
    });
  }

  return { selectorsOf, findAll };
})();
