// The texts of a target that say what it does: what is visible on it, not only its accessible name.

import { normalizeText, truncate } from '../dom.js';
import { accessibleName, visibleName } from '../snapshot/accname.js';
import { defaultButton } from './forms.js';

const MAX_TEXTS = 8;
const MAX_TEXT_LENGTH = 200;
const MAX_RENDERED_LENGTH = 5_000;
const MAX_IMAGES = 5;
const PRESSED_TYPES = new Set(['button', 'submit', 'reset', 'image']);
const DIALOG = 'dialog, [role=dialog], [role=alertdialog], [aria-modal=true]';
const HEADING = 'legend, h1, h2, h3, h4, [role=heading]';
const ACTION_HANDLERS = ['onchange', 'onclick', 'oninput', 'onmousedown', 'onpointerdown'];

/** @param {string | null | undefined} text */
function shortText(text) {
  return truncate(normalizeText(text ?? ''), MAX_TEXT_LENGTH);
}

/** Whether the text in an element is its value. @param {Element} element */
function holdsText(element) {
  if (element instanceof HTMLInputElement) return !PRESSED_TYPES.has(element.type);
  return element.matches('textarea, select, [role=textbox], [role=searchbox], [role=combobox]') || (element instanceof HTMLElement && element.isContentEditable);
}

/** Text as it is rendered, whatever aria attributes say. @param {Element} element */
function renderedText(element) {
  // Rendered text of a whole page is expensive, and no label.
  if (!(element instanceof HTMLElement) || (element.textContent ?? '').length > MAX_RENDERED_LENGTH) return element.textContent ?? '';
  return element.innerText;
}

/**
 * The texts of an element except its accessible name, and those of its label.
 * @param {Element} element @param {Element} resolved the element that was named, such as the label of a check box
 * @param {string} role @param {string} name
 */
export function otherTexts(element, resolved, role, name) {
  const input = element instanceof HTMLInputElement && PRESSED_TYPES.has(element.type) ? element : null;
  const isField = holdsText(element);
  const labels = [.../** @type {HTMLInputElement} */ (element).labels ?? []];
  const texts = [
    isField ? '' : renderedText(element),
    isField ? '' : visibleName(element, role),
    resolved === element || (isField && !(resolved instanceof HTMLLabelElement)) ? '' : renderedText(resolved),
    element.getAttribute('title'),
    element.getAttribute('aria-label'),
    input?.value,
    input?.getAttribute('alt'),
    ...labels.map(renderedText),
    ...[...element.querySelectorAll('img[alt], svg > title')].slice(0, MAX_IMAGES).map((image) => image.getAttribute('alt') ?? image.textContent),
  ];
  return [...new Set(texts.map(shortText))].filter((text) => text && text !== name).slice(0, MAX_TEXTS);
}

/** What does not change when a page only highlights an element, or a field is filled. @param {Element} element */
export function stableTexts(element) {
  return [holdsText(element) ? '' : shortText(element.textContent), element.getAttribute('title') ?? '', dialogText(element)];
}

/** The id, classes, images and handler of an element that has no text of its own. @param {Element} element @param {string} name @param {string[]} texts */
export function identifiersOf(element, name, texts) {
  const isUnnamedImage = element instanceof HTMLInputElement && element.type === 'image' && !element.alt && !element.title;
  if (texts.length || (name && !isUnnamedImage)) return '';
  const images = [element, ...element.querySelectorAll('img, use')].slice(0, MAX_IMAGES);
  const sources = images.map((image) => (image.getAttribute('src') ?? image.getAttribute('href') ?? '').split(/[?#]/).join(' ').split('/').pop());
  const attributes = ['id', 'name', 'class', 'data-action', 'data-testid', 'onclick'].map((attribute) => element.getAttribute(attribute));
  return shortText([...attributes, ...sources].filter(Boolean).join(' '));
}

/** What the dialog or form around an element is about: its name or heading, and a dialog's first paragraph. @param {Element} element */
export function dialogText(element) {
  const dialog = element.closest(DIALOG);
  const around = dialog ?? element.closest('form');
  if (around === null || around === element) return '';
  const heading = shortText(around.querySelector(HEADING)?.textContent);
  if (dialog === null) return heading;
  const paragraph = shortText(dialog.querySelector('p')?.textContent);
  return shortText([accessibleName(dialog, 'dialog') || heading, paragraph].filter(Boolean).join(' ')) || shortText(dialog.textContent);
}

/** Whether a choice may have its effect at once: no submit button follows, or the page handles the change itself. @param {Element} element @param {HTMLFormElement | null} form */
export function actsAtOnce(element, form) {
  if (form === null || defaultButton(form) === undefined) return true;
  const labels = [.../** @type {HTMLInputElement} */ (element).labels ?? []];
  return [element, ...labels, form].some((one) => ACTION_HANDLERS.some((handler) => one.hasAttribute(handler)));
}

/** The URL that a link opens; empty for a place on the same page. @param {Element} element */
export function linkTarget(element) {
  const link = element.closest('a[href], area[href]');
  if (!(link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement)) return '';
  return link.href.split('#')[0] === location.href.split('#')[0] ? '' : link.href;
}
