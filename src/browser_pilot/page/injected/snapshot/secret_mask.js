// Masks secrets while a picture of the page is taken: the fields that were filled with one, and where the page shows their values.

import { everyElement } from '../dom.js';
import { containsSecret, filledElements, hidesValues } from '../filled_secrets.js';

/** @typedef {HTMLElement | SVGElement} Styled */

// Inline and important: no style sheet of the page overrides them. Opacity also applies to everything inside.
const STILL = [['transition', 'none'], ['animation', 'none']];
const DOTS = [...STILL, ['-webkit-text-security', 'disc']];
const INVISIBLE = [...STILL, ['opacity', '0']];

/** @type {{ element: Styled, style: string | null }[]} */
let maskedElements = [];

export function maskSecrets() {
  unmaskSecrets();
  for (const element of new Set([...filledElements(), ...elementsWithSecrets()])) {
    if (!(element instanceof HTMLElement || element instanceof SVGElement)) continue;
    maskedElements.push({ element, style: element.getAttribute('style') });
    for (const [name = '', value = ''] of isTextField(element) ? DOTS : INVISIBLE) element.style.setProperty(name, value, 'important');
  }
  return maskedElements.length;
}

export function unmaskSecrets() {
  for (const { element, style } of maskedElements) {
    // Set in any case: Blink would leave an empty attribute if one is removed that it has not written yet.
    element.setAttribute('style', style ?? '');
    if (style === null) element.removeAttribute('style');
  }
  maskedElements = [];
}

/** @param {Element} element @returns {element is HTMLInputElement | HTMLTextAreaElement} */
function isTextField(element) {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

/** The innermost elements that show a secret. @returns {Element[]} */
function elementsWithSecrets() {
  if (!hidesValues()) return [];
  return [...everyElement(document)].filter((element) => {
    if (isTextField(element)) return containsSecret(element.value);
    return containsSecret(element.textContent ?? '') && ![...element.children].some((child) => containsSecret(child.textContent ?? ''));
  });
}
