// Whether an element is visible and enabled, as an action needs it.

import { parentOf } from '../dom.js';
import { rectsOf } from '../geometry.js';

export const INTERACTIVE =
  'a[href], button, input, select, textarea, label, summary, option, [onclick], [tabindex], [contenteditable], [role=button], '
  + '[role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=menuitem], [role=option]';

/** @param {Element} element */
export function isVisible(element) {
  return (element.checkVisibility({ visibilityProperty: true }) || getComputedStyle(element).display === 'contents')
    && rectsOf(element).length > 0;
}

/** @param {Element} element */
export function isDisabled(element) {
  if (element.matches(':disabled')) return true;
  for (let node = /** @type {Element | null} */ (element); node; node = parentOf(node)) {
    const disabled = node.getAttribute('aria-disabled');
    if (disabled !== null) return disabled === 'true';
  }
  return false;
}

/** The visible label of a hidden checkbox, radio button or file input; otherwise the element itself. @param {Element} element @returns {Element} */
export function elementOrLabel(element) {
  if (!(element instanceof HTMLInputElement) || !['checkbox', 'radio', 'file'].includes(element.type)) return element;
  const rect = element.getBoundingClientRect();
  if (isVisible(element) && rect.width > 1 && rect.height > 1 && getComputedStyle(element).opacity !== '0') return element;
  return [...(element.labels ?? [])].find(isVisible) ?? element;
}
