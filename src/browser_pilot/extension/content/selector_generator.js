/**
 * Selectors that last. From what is known about an element to selectors for it, the most robust first: by role and name, by a test
 * id, by what labels it; then within something stable around it; by its position only when nothing else is left.
 *
 * Pure: facts in, selectors out. What the facts are, and how many elements a selector finds, `page_selectors.js` knows. No module,
 * because it is injected into pages for the picker. Selectors are written as `element` arguments of the hub's tools take them.
 */

/** @typedef {{ tag: string, role: string, name: string, text: string, id: string, classes: string[], attributes: Record<string, string>, place: number }} Facts */
/** @typedef {{ tag: string, text: string, same: number, any: number }} Heading before the element: how many of its tag follow up to it, with its text and at all */
/** @typedef {{ target: Facts, around: Facts[], rows: { tag: string, depth: number, texts: string[] }[], labels: string[], headings: Heading[] }} Described */
/** @typedef {'role' | 'test' | 'attribute' | 'text' | 'css' | 'xpath'} Kind */
/** @typedef {{ kind: Kind, selector: string, fragile: boolean }} Candidate */
/** @typedef {Candidate & { count: number }} Counted */

globalThis.browserPilotSelectors ??= (() => {
  const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];
  const TELLING = ['name', 'aria-label', 'placeholder', 'alt', 'title', 'for', 'data-id', 'data-name', 'data-action', 'data-target', 'href', 'value', 'type'];
  const LANDMARKS = new Set(['nav', 'main', 'header', 'footer', 'aside', 'form', 'dialog', 'table', 'fieldset']);
  const LONGEST_NAME = 80;
  const LONGEST_ADDRESS = 120;
  const BEGINNING = 60;

  /**
   * Whether a machine made up a word: such words are others after the next build or the next render.
   * @param {string} word
   */
  function isGenerated(word) {
    if (word.length > 40 || /^[^a-z]*$/i.test(word)) return true;
    if (/^(css|sc|jss|jsx|emotion|svelte|chakra|mui|ember|yui|ext-gen|radix|headlessui|rc|react-aria|gwt-uid|mantine|v|cdk)[-_:]?[\w:-]*\d/i.test(word)) return true;
    if (/^(:?r[0-9a-z]+:|«r\w+»)/.test(word) || /\d{4,}/.test(word)) return true;
    // Its last part mixes letters and digits, or small and capital letters, as no writer does: header_x7Kq2, Button-module__3aZ.
    return (word.split(/[-_]+/).filter(Boolean).slice(-1)).some((part) => {
      if (part.length < 4) return false;
      if (/^[0-9a-f]{6,}$/i.test(part) && /\d/.test(part)) return true;
      const turns = part.replace(/[^a-z0-9]/gi, '').match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
      if (turns > 1) return true;
      return part.length >= 5 && /[a-z][A-Z]{2,}[a-z]|[bcdfghjklmnpqrstvwxz]{6}/.test(part);
    });
  }

  /** A value in quotes, for CSS. @param {string} value */
  function quoted(value) {
    return `"${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
  }

  /** An identifier for CSS. @param {string} word */
  function escaped(word) {
    return word.replace(/^(-?)(\d)/, (_, dash, digit) => `${dash}\\3${digit} `).replace(/[^\w\u00a0-\uffff\\ -]/g, '\\$&').replace(/ (?!$)(?<!\\3\d )/g, '\\ ');
  }

  /** A text in quotes, for XPath, which knows no escapes. @param {string} text */
  function literal(text) {
    if (!text.includes('"')) return `"${text}"`;
    if (!text.includes("'")) return `'${text}'`;
    return `concat(${text.split('"').map((part) => `"${part}"`).join(`, '"', `)})`;
  }

  /** @param {string} name @param {string} value */
  function isLasting(name, value) {
    if (!value || value.length > LONGEST_ADDRESS || /[\n\r]/.test(value)) return false;
    if (name === 'href') return !/^(javascript:|blob:|data:|#?$)/.test(value) && !/[?&](token|session|sid|csrf|t|ts)=/i.test(value);
    if (name === 'type') return false;
    return name === 'for' || name === 'name' ? !isGenerated(value) : true;
  }

  /** What identifies a thing by itself, as CSS, best first. @param {Facts} facts @returns {{ kind: Kind, css: string }[]} */
  function marks(facts) {
    /** @type {{ kind: Kind, css: string }[]} */
    const found = [];
    for (const name of TEST_IDS) {
      const value = facts.attributes[name];
      if (value) found.push({ kind: 'test', css: `[${name}=${quoted(value)}]` });
    }
    if (facts.id && !isGenerated(facts.id)) found.push({ kind: 'css', css: `#${escaped(facts.id)}` });
    const tag = escaped(facts.tag);
    const { type, value } = facts.attributes;
    const kind = type && facts.tag === 'input' ? `[type=${quoted(type)}]` : '';
    for (const name of TELLING) {
      const told = facts.attributes[name];
      if (told === undefined || !isLasting(name, told)) continue;
      if (name === 'value' && !/^(radio|checkbox|submit|button|reset)$/.test(type ?? '') && facts.tag !== 'option') continue;
      found.push({ kind: 'attribute', css: `${tag}[${name}=${quoted(told)}]` });
      if (name === 'name' && value && /^(radio|checkbox)$/.test(type ?? '')) found.push({ kind: 'attribute', css: `${tag}[name=${quoted(told)}][value=${quoted(value)}]` });
    }
    if (kind) found.push({ kind: 'attribute', css: `${tag}${kind}` });
    return found;
  }

  /** Its tag with the classes that a person wrote. @param {Facts} facts @returns {string[]} */
  function byClass(facts) {
    const classes = facts.classes.filter((name) => !isGenerated(name) && !/^(active|open|show|hidden|disabled|selected|hover|focus|in|on|is-|has-|js-|ng-)/.test(name));
    const single = classes.map((name) => `${escaped(facts.tag)}.${escaped(name)}`);
    return classes.length > 1 ? [...single, `${escaped(facts.tag)}.${classes.map(escaped).join('.')}`] : single;
  }

  /** @param {Described} described @returns {Candidate[]} */
  function candidatesOf({ target, around, rows, labels, headings }) {
    /** @type {Candidate[]} */
    const found = [];
    /** @param {Kind} kind @param {string} selector @param {boolean} [fragile] */
    const add = (kind, selector, fragile = false) => void (found.some((one) => one.selector === selector) || found.push({ kind, selector, fragile }));
    const named = target.name !== '' && target.name.length <= LONGEST_NAME;
    if (target.role !== 'generic' && named) add('role', `role=${target.role}[name="${target.name}"]`);
    const own = marks(target);
    for (const mark of own) add(mark.kind, mark.css);
    const short = target.text !== '' && target.text.length <= LONGEST_NAME && !/\u00a0/.test(target.text);
    if (short) add('text', `text="${target.text}"`);
    const classes = byClass(target);
    const forms = [...own.map((mark) => mark.css), ...classes, escaped(target.tag)];
    const anchors = around.flatMap((one) => [...marks(one).filter((mark) => !/\[value=/.test(mark.css)).map((mark) => mark.css), ...(LANDMARKS.has(one.tag) ? [one.tag] : [])]);
    for (const form of forms.slice(0, -1)) for (const anchor of anchors) add('css', `${anchor} ${form}`);
    for (const css of classes) add('css', css);
    const said = saidBy(target);
    const byText = said ? `//${path(target.tag)}[${said}]` : '';
    if (byText) add('xpath', byText);
    for (const row of rows) {
      for (const known of row.texts) {
        const home = `//${path(row.tag)}[.//text()[normalize-space()=${literal(known)}]]`;
        if (byText && known !== target.text) add('xpath', `${home}${byText}`);
        for (const [name, value] of Object.entries(target.attributes)) {
          if ([...TEST_IDS, ...TELLING].includes(name) && isLasting(name, value)) add('xpath', `${home}//${path(target.tag)}[@${name}=${literal(value)}]`);
        }
        for (const name of target.classes.filter((one) => !isGenerated(one))) add('xpath', `${home}//${path(target.tag)}[contains(concat(" ", @class, " "), ${literal(` ${name} `)})]`);
        add('xpath', `${home}//${path(target.tag)}`);
        if (row.depth === 0) add('xpath', home);
      }
    }
    for (const heading of headings) {
      const home = `//${path(heading.tag)}[normalize-space()=${literal(heading.text)}]/following::${path(target.tag)}`;
      if (said) add('xpath', `${home}[${said}][${heading.same}]`, heading.same > 1);
    }
    for (const label of labels) add('xpath', `//*[normalize-space(text())=${literal(label)}]/following::${path(target.tag)}[1]`);
    for (const anchor of anchors) add('css', `${anchor} ${escaped(target.tag)}`);
    for (const one of around) for (const css of byClass(one)) for (const form of forms) add('css', `${css} ${form}`);
    for (const { tag, text, any } of headings) add('xpath', `//${path(tag)}[normalize-space()=${literal(text)}]/following::${path(target.tag)}[${any}]`, true);
    add('css', byPlace(target, around), true);
    add('xpath', xpathByPlace(target, around), true);
    return found;
  }

  /** Its text as a condition for XPath: all of a short one, the beginning of a long one. @param {Facts} target */
  function saidBy({ text }) {
    if (text === '' || /\u00a0/.test(text)) return '';
    if (text.length <= LONGEST_NAME) return `normalize-space()=${literal(text)}`;
    return `starts-with(normalize-space(), ${literal(text.slice(0, BEGINNING).replace(/\s\S*$/, ''))})`;
  }

  /** @param {string} tag */
  function path(tag) {
    return /^[a-z][\w-]*$/.test(tag) ? tag : '*';
  }

  /** Down from the nearest thing with an id, by counting. @param {Facts} target @param {Facts[]} around */
  function byPlace(target, around) {
    const steps = [];
    for (const one of [target, ...around]) {
      if (one !== target && one.id && !isGenerated(one.id)) return [`#${escaped(one.id)}`, ...steps].join(' > ');
      steps.unshift(one.place ? `${escaped(one.tag)}:nth-of-type(${one.place})` : escaped(one.tag));
    }
    return steps.join(' > ');
  }

  /** @param {Facts} target @param {Facts[]} around */
  function xpathByPlace(target, around) {
    const steps = [];
    for (const one of [target, ...around]) {
      if (one !== target && one.id && !isGenerated(one.id)) return `//*[@id=${literal(one.id)}]/${steps.join('/')}`;
      steps.unshift(one.place ? `${path(one.tag)}[${one.place}]` : path(one.tag));
    }
    return `/${steps.join('/')}`;
  }

  /**
   * Every kind of selector, each with how many elements it finds, the best one first. `isIt` says whether a selector finds the element
   * and nothing else.
   * @param {Described} described @param {(selector: string) => number} count how many elements; 0 also when it is another one
   * @returns {Counted[]}
   */
  function choose(described, count) {
    const candidates = candidatesOf(described);
    /** @type {Counted | undefined} */
    let best;
    /** @type {Map<Kind, Counted>} */
    const kinds = new Map();
    for (const candidate of candidates) {
      const known = kinds.get(candidate.kind);
      if (best && (known?.count === 1 || (known && candidate.fragile))) continue;
      const counted = { ...candidate, count: count(candidate.selector) };
      if (counted.count === 1) best ??= counted;
      if (counted.count > 0 && (!known || counted.count < known.count)) kinds.set(candidate.kind, counted);
    }
    const others = [...kinds.values()].filter((one) => one !== best);
    return best ? [best, ...others] : others;
  }

  return { isGenerated, candidatesOf, choose, quoted, escaped, literal };
})();
