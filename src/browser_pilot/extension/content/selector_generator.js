/**
 * Generates robust selectors for an element, best first: by role and name, by a test id, by identifying attributes; then relative to
 * something stable around it; by position only when nothing else is left.
 *
 * Pure: a description of the element in, selectors out. `page_selectors.js` makes the description and counts the matches in the page.
 * The selectors are `element` arguments of the hub's tools. Not a module, see `globals.d.ts`.
 */

/** @typedef {{ tag: string, role: string, name: string, text: string, id: string, classes: string[], attributes: Record<string, string>, position: number }} ElementFacts `position` counts among siblings of the same tag; 0 without any */
/** @typedef {{ tag: string, text: string, sameText: number, sameTag: number }} Heading a heading before the element: how many elements of its tag follow up to it, with the same text and at all */
/** @typedef {{ target: ElementFacts, ancestors: ElementFacts[], containers: { tag: string, depth: number, texts: string[] }[], labels: string[], headings: Heading[] }} ElementDescription */
/** @typedef {'role' | 'test' | 'attribute' | 'text' | 'css' | 'xpath'} Kind */
/** @typedef {{ kind: Kind, selector: string, fragile: boolean }} Candidate */
/** @typedef {Candidate & { count: number }} CountedSelector */

globalThis.browserPilotSelectorGenerator ??= (() => {
  const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];
  const IDENTIFYING_ATTRIBUTES = ['name', 'aria-label', 'placeholder', 'alt', 'title', 'for', 'data-id', 'data-name', 'data-action', 'data-target', 'href', 'value', 'type'];
  const LANDMARKS = new Set(['nav', 'main', 'header', 'footer', 'aside', 'form', 'dialog', 'table', 'fieldset']);
  const MAX_NAME_LENGTH = 80;
  const MAX_VALUE_LENGTH = 120;
  const MAX_PREFIX_LENGTH = 60;

  /** Whether an id or a class was generated: such names change with the next build or render. @param {string} name */
  function isGenerated(name) {
    if (name.length > 40 || /^[^a-z]*$/i.test(name)) return true;
    if (/^(css|sc|jss|jsx|emotion|svelte|chakra|mui|ember|yui|ext-gen|radix|headlessui|rc|react-aria|gwt-uid|mantine|v|cdk)[-_:]?[\w:-]*\d/i.test(name)) return true;
    if (/^(:?r[0-9a-z]+:|«r\w+»)/.test(name) || /\d{4,}/.test(name)) return true;
    // A last part that mixes letters and digits, or lower and upper case, like a hash: header_x7Kq2, Button-module__3aZ.
    return (name.split(/[-_]+/).filter(Boolean).slice(-1)).some((part) => {
      if (part.length < 4) return false;
      if (/^[0-9a-f]{6,}$/i.test(part) && /\d/.test(part)) return true;
      const turns = part.replace(/[^a-z0-9]/gi, '').match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
      if (turns > 1) return true;
      return part.length >= 5 && /[a-z][A-Z]{2,}[a-z]|[bcdfghjklmnpqrstvwxz]{6}/.test(part);
    });
  }

  /** @param {string} value */
  function cssString(value) {
    return `"${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
  }

  /** @param {string} name */
  function cssIdentifier(name) {
    return name.replace(/^(-?)(\d)/, (_, dash, digit) => `${dash}\\3${digit} `).replace(/[^\w\u00a0-\uffff\\ -]/g, '\\$&').replace(/ (?!$)(?<!\\3\d )/g, '\\ ');
  }

  /** XPath has no escapes in strings. @param {string} text */
  function xpathLiteral(text) {
    if (!text.includes('"')) return `"${text}"`;
    if (!text.includes("'")) return `'${text}'`;
    return `concat(${text.split('"').map((part) => `"${part}"`).join(`, '"', `)})`;
  }

  /** @param {string} name @param {string} value */
  function isStable(name, value) {
    if (!value || value.length > MAX_VALUE_LENGTH || /[\n\r]/.test(value)) return false;
    if (name === 'href') return !/^(javascript:|blob:|data:|#?$)/.test(value) && !/[?&](token|session|sid|csrf|t|ts)=/i.test(value);
    if (name === 'type') return false;
    return name === 'for' || name === 'name' ? !isGenerated(value) : true;
  }

  /** CSS selectors for what identifies an element by itself, best first. @param {ElementFacts} facts @returns {{ kind: Kind, css: string }[]} */
  function ownSelectors(facts) {
    /** @type {{ kind: Kind, css: string }[]} */
    const found = [];
    for (const name of TEST_IDS) {
      const value = facts.attributes[name];
      if (value) found.push({ kind: 'test', css: `[${name}=${cssString(value)}]` });
    }
    if (facts.id && !isGenerated(facts.id)) found.push({ kind: 'css', css: `#${cssIdentifier(facts.id)}` });
    const tag = cssIdentifier(facts.tag);
    const { type, value } = facts.attributes;
    const typeSelector = type && facts.tag === 'input' ? `[type=${cssString(type)}]` : '';
    for (const name of IDENTIFYING_ATTRIBUTES) {
      const attribute = facts.attributes[name];
      if (attribute === undefined || !isStable(name, attribute)) continue;
      if (name === 'value' && !/^(radio|checkbox|submit|button|reset)$/.test(type ?? '') && facts.tag !== 'option') continue;
      found.push({ kind: 'attribute', css: `${tag}[${name}=${cssString(attribute)}]` });
      if (name === 'name' && value && /^(radio|checkbox)$/.test(type ?? '')) found.push({ kind: 'attribute', css: `${tag}[name=${cssString(attribute)}][value=${cssString(value)}]` });
    }
    if (typeSelector) found.push({ kind: 'attribute', css: `${tag}${typeSelector}` });
    return found;
  }

  /** The tag with classes that are not generated. @param {ElementFacts} facts @returns {string[]} */
  function classSelectors(facts) {
    const classes = facts.classes.filter((name) => !isGenerated(name) && !/^(active|open|show|hidden|disabled|selected|hover|focus|in|on|is-|has-|js-|ng-)/.test(name));
    const single = classes.map((name) => `${cssIdentifier(facts.tag)}.${cssIdentifier(name)}`);
    return classes.length > 1 ? [...single, `${cssIdentifier(facts.tag)}.${classes.map(cssIdentifier).join('.')}`] : single;
  }

  /** @param {ElementDescription} description @returns {Candidate[]} */
  function generateCandidates({ target, ancestors, containers, labels, headings }) {
    /** @type {Candidate[]} */
    const found = [];
    /** @param {Kind} kind @param {string} selector @param {boolean} [fragile] */
    const add = (kind, selector, fragile = false) => void (found.some((one) => one.selector === selector) || found.push({ kind, selector, fragile }));
    const named = target.name !== '' && target.name.length <= MAX_NAME_LENGTH;
    if (target.role !== 'generic' && named) add('role', `role=${target.role}[name="${target.name}"]`);
    const own = ownSelectors(target);
    for (const { kind, css } of own) add(kind, css);
    const short = target.text !== '' && target.text.length <= MAX_NAME_LENGTH && !/\u00a0/.test(target.text);
    if (short) add('text', `text="${target.text}"`);
    const classes = classSelectors(target);
    const forms = [...own.map(({ css }) => css), ...classes, cssIdentifier(target.tag)];
    const anchors = ancestors.flatMap((one) => [...ownSelectors(one).map(({ css }) => css).filter((css) => !/\[value=/.test(css)), ...(LANDMARKS.has(one.tag) ? [one.tag] : [])]);
    for (const form of forms.slice(0, -1)) for (const anchor of anchors) add('css', `${anchor} ${form}`);
    for (const css of classes) add('css', css);
    const textIs = textCondition(target);
    const byText = textIs ? `//${path(target.tag)}[${textIs}]` : '';
    if (byText) add('xpath', byText);
    for (const container of containers) {
      for (const text of container.texts) {
        const scope = `//${path(container.tag)}[.//text()[normalize-space()=${xpathLiteral(text)}]]`;
        if (byText && text !== target.text) add('xpath', `${scope}${byText}`);
        for (const [name, value] of Object.entries(target.attributes)) {
          if ([...TEST_IDS, ...IDENTIFYING_ATTRIBUTES].includes(name) && isStable(name, value)) add('xpath', `${scope}//${path(target.tag)}[@${name}=${xpathLiteral(value)}]`);
        }
        for (const name of target.classes.filter((one) => !isGenerated(one))) add('xpath', `${scope}//${path(target.tag)}[contains(concat(" ", @class, " "), ${xpathLiteral(` ${name} `)})]`);
        add('xpath', `${scope}//${path(target.tag)}`);
        if (container.depth === 0) add('xpath', scope);
      }
    }
    for (const heading of headings) {
      const scope = `//${path(heading.tag)}[normalize-space()=${xpathLiteral(heading.text)}]/following::${path(target.tag)}`;
      if (textIs) add('xpath', `${scope}[${textIs}][${heading.sameText}]`, heading.sameText > 1);
    }
    for (const label of labels) add('xpath', `//*[normalize-space(text())=${xpathLiteral(label)}]/following::${path(target.tag)}[1]`);
    for (const anchor of anchors) add('css', `${anchor} ${cssIdentifier(target.tag)}`);
    for (const one of ancestors) for (const css of classSelectors(one)) for (const form of forms) add('css', `${css} ${form}`);
    for (const { tag, text, sameTag } of headings) add('xpath', `//${path(tag)}[normalize-space()=${xpathLiteral(text)}]/following::${path(target.tag)}[${sameTag}]`, true);
    add('css', cssByPosition(target, ancestors), true);
    add('xpath', xpathByPosition(target, ancestors), true);
    return found;
  }

  /** An XPath condition for the text: all of a short one, the beginning of a long one. @param {ElementFacts} target */
  function textCondition({ text }) {
    if (text === '' || /\u00a0/.test(text)) return '';
    if (text.length <= MAX_NAME_LENGTH) return `normalize-space()=${xpathLiteral(text)}`;
    return `starts-with(normalize-space(), ${xpathLiteral(text.slice(0, MAX_PREFIX_LENGTH).replace(/\s\S*$/, ''))})`;
  }

  /** @param {string} tag */
  function path(tag) {
    return /^[a-z][\w-]*$/.test(tag) ? tag : '*';
  }

  /** From the nearest ancestor with a stable id, by nth-of-type. @param {ElementFacts} target @param {ElementFacts[]} ancestors */
  function cssByPosition(target, ancestors) {
    const steps = [];
    for (const one of [target, ...ancestors]) {
      if (one !== target && one.id && !isGenerated(one.id)) return [`#${cssIdentifier(one.id)}`, ...steps].join(' > ');
      steps.unshift(one.position ? `${cssIdentifier(one.tag)}:nth-of-type(${one.position})` : cssIdentifier(one.tag));
    }
    return steps.join(' > ');
  }

  /** @param {ElementFacts} target @param {ElementFacts[]} ancestors */
  function xpathByPosition(target, ancestors) {
    const steps = [];
    for (const one of [target, ...ancestors]) {
      if (one !== target && one.id && !isGenerated(one.id)) return `//*[@id=${xpathLiteral(one.id)}]/${steps.join('/')}`;
      steps.unshift(one.position ? `${path(one.tag)}[${one.position}]` : path(one.tag));
    }
    return `/${steps.join('/')}`;
  }

  /**
   * The best selector, then the best of every other kind, each with the number of its matches.
   * @param {ElementDescription} description @param {(selector: string) => number} count the number of matches; 0 when the element is not among them
   * @returns {CountedSelector[]}
   */
  function rankSelectors(description, count) {
    const candidates = generateCandidates(description);
    /** @type {CountedSelector | undefined} */
    let best;
    /** @type {Map<Kind, CountedSelector>} */
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

  return { isGenerated, generateCandidates, rankSelectors, cssString, cssIdentifier, xpathLiteral };
})();
