/** A text of any length, shown completely: a long one is collapsed, with its beginning and a way to show all of it. */

import { createElement } from './dom.js';
import { getMessage } from './i18n.js';

export const MAX_COLLAPSED_CHARACTERS = 200;

/** The beginning of a long text; null if it is short enough to be shown as it is. @param {string} text */
export function beginningOf(text) {
  const characters = [...text.slice(0, 2 * MAX_COLLAPSED_CHARACTERS + 2)];
  return characters.length > MAX_COLLAPSED_CHARACTERS ? characters.slice(0, MAX_COLLAPSED_CHARACTERS).join('') : null;
}

/** The nodes that show a text. @param {string} text @returns {(Node | string)[]} */
export function createText(text) {
  const beginning = beginningOf(text);
  if (beginning === null) return [text];
  return [createElement('details', { class: 'long-text' },
    createElement('summary', {}, createElement('span', { class: 'beginning' }, `${beginning}…`),
      createElement('span', { class: 'show-all' }, getMessage('showAll', text.length.toLocaleString()))),
    createElement('div', { class: 'whole-text', tabindex: '0' }, text))];
}
