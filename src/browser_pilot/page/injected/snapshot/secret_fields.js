// Fields whose value never leaves the page: passwords, card numbers, one-time codes, and what was filled with a secret of the user.

import { styleOf } from '../dom.js';
import { isFilled } from '../filled_secrets.js';

const SECRET_AUTOCOMPLETE = /password|cc-number|cc-csc|one-time-code/;
/** Fields that were password fields stay secret when a page reveals their text. @type {WeakSet<Element>} */
const secretFields = new WeakSet();

/** @param {Element} element */
export function isSecret(element) {
  if (secretFields.has(element) || isFilled(element)) return true;
  if (!(element instanceof HTMLInputElement)) return false;
  const secret =
    element.type === 'password' || SECRET_AUTOCOMPLETE.test(element.autocomplete)
    || !['', 'none'].includes(styleOf(element).computed.getPropertyValue('-webkit-text-security'));
  if (secret) secretFields.add(element);
  return secret;
}
