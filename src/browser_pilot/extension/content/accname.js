/**
 * What an element is for a person: its role and its name, as the hub finds it by them. Injected into the extension's own world of a
 * page for the picker, so it is no module. The hub's own reading of the page, which is finer, has the last word.
 */

globalThis.browserPilotWords ??= (() => {
  /** @type {Record<string, string>} */
  const INPUTS = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider',
    number: 'spinbutton', search: 'searchbox', file: 'file', date: 'date', time: 'time', month: 'month', week: 'week',
    'datetime-local': 'datetime', color: 'color', hidden: 'generic',
  };
  /** @type {Record<string, string>} */
  const TAGS = {
    button: 'button', summary: 'button', textarea: 'textbox', option: 'option', progress: 'progressbar', meter: 'meter', h1: 'heading',
    h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', nav: 'navigation', main: 'main', aside: 'complementary',
    dialog: 'dialog', table: 'table', tr: 'row', td: 'cell', th: 'columnheader', ul: 'list', ol: 'list', menu: 'list', li: 'listitem',
    article: 'article', fieldset: 'group', details: 'group', hr: 'separator', search: 'search', figure: 'figure', output: 'status',
  };
  const NAMED_BY_CONTENT = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem',
    'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip', 'treeitem']);
  const SILENT = new Set(['script', 'style', 'noscript', 'template']);

  /** @param {string} text */
  const tidy = (text) => text.replace(/\s+/g, ' ').trim();

  /** @param {Element} element @returns {string} */
  function roleOf(element) {
    const written = element.getAttribute('role')?.trim().toLowerCase().split(/\s+/)[0] ?? '';
    if (written === 'image') return 'img';
    if (written && written !== 'none' && written !== 'presentation') return written;
    const tag = element.localName;
    if (tag === 'a' || tag === 'area') return element.hasAttribute('href') ? 'link' : 'generic';
    if (tag === 'input') {
      const input = /** @type {HTMLInputElement} */ (element);
      const role = INPUTS[input.type] ?? 'textbox';
      return input.list && (role === 'textbox' || role === 'searchbox') ? 'combobox' : role;
    }
    if (tag === 'select') {
      const select = /** @type {HTMLSelectElement} */ (element);
      return select.multiple || select.size > 1 ? 'listbox' : 'combobox';
    }
    if (tag === 'img') return element.getAttribute('alt') === '' && !element.hasAttribute('title') && !element.ariaLabel ? 'generic' : 'img';
    if (tag === 'th' && element.getAttribute('scope') === 'row') return 'rowheader';
    if (tag === 'summary' && element.parentElement?.localName !== 'details') return 'generic';
    if (element instanceof HTMLElement && element.contentEditable === 'true') return 'textbox';
    return TAGS[tag] ?? 'generic';
  }

  /** @param {Element} element */
  function isRendered(element) {
    return element.checkVisibility({ visibilityProperty: true });
  }

  /** The name by which assistive technology would call it. @param {Element} element @param {string} [role] @returns {string} */
  function nameOf(element, role = roleOf(element)) {
    const labels = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
    const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
    const labelled = tidy(labels.map((id) => root.getElementById?.(id)).map((label) => (label ? contentOf(label, true) : '')).join(' '));
    if (labelled) return labelled;
    const written = element.getAttribute('aria-label')?.trim();
    if (written) return tidy(written);
    const native = tidy(nativeName(element));
    if (native) return native;
    const content = NAMED_BY_CONTENT.has(role) ? tidy(contentOf(element, false)) : '';
    return content || tidy(element.getAttribute('title') ?? element.getAttribute('placeholder') ?? '');
  }

  /** @param {Element} element */
  function nativeName(element) {
    const tag = element.localName;
    if ('labels' in element && element.labels instanceof NodeList) {
      const label = [...element.labels].map((one) => contentOf(/** @type {Element} */ (one), true, element)).join(' ');
      if (tidy(label)) return label;
    }
    if (element instanceof HTMLInputElement) {
      if (element.type === 'submit' || element.type === 'reset') {
        return element.value || (element.hasAttribute('value') ? '' : element.type === 'submit' ? 'Submit' : 'Reset');
      }
      if (element.type === 'button') return element.value;
      return element.type === 'image' ? element.alt || element.title || 'Submit' : '';
    }
    if (tag === 'img' || tag === 'area') return element.getAttribute('alt') ?? '';
    if (tag === 'svg') return element.querySelector(':scope > title')?.textContent ?? '';
    const naming = { fieldset: 'legend', table: 'caption', figure: 'figcaption' }[tag];
    return naming ? (element.querySelector(`:scope > ${naming}`)?.textContent ?? '') : '';
  }

  /** @param {Element} element @param {boolean} hiddenToo @param {Element} [without] @returns {string} */
  function contentOf(element, hiddenToo, without) {
    let text = '';
    for (const child of (element.shadowRoot ?? element).childNodes) {
      if (child instanceof Text) text += child.data;
      if (!(child instanceof Element) || child === without || SILENT.has(child.localName)) continue;
      if (!hiddenToo && (child.getAttribute('aria-hidden') === 'true' || !isRendered(child))) continue;
      const named = child.getAttribute('aria-label') || nativeName(child);
      const inner = tidy(named) ? named : child.localName === 'br' ? ' ' : contentOf(child, hiddenToo, without);
      text += getComputedStyle(child).display.startsWith('inline') ? inner : ` ${inner} `;
    }
    return text;
  }

  return { roleOf, nameOf, isRendered, tidy };
})();
