// Why an action is not possible, in the form that actions/actionability_errors.py expects.

import { normalizeText, truncate } from '../dom.js';
import { knownRef, refEntry } from '../refs.js';
import { accessibleName } from '../snapshot/accname.js';
import { roleOf } from '../snapshot/roles.js';

/** `error` is the kind, `by` describes the cause. `cover` is what a click would hit; `hit_test/covers.js` describes it in its place.
 * @typedef {{ error: string, by?: string, cover?: Element }} Failure */

/** @param {string} ref @returns {Failure} */
export function goneFailure(ref) {
  const entry = refEntry(ref);
  return { error: 'gone', by: entry ? `${entry.role}${entry.name ? ` "${truncate(entry.name, 60)}"` : ''}` : '' };
}

/** Role and name of an element, with its ref if it has one. @param {Element} element */
export function describeElement(element) {
  const role = roleOf(element);
  const kind = role === 'generic' ? `<${element.localName}${element.id ? ` id="${element.id}"` : ''}>` : role;
  const name = truncate(accessibleName(element, role) || normalizeText(element.textContent ?? ''), 40);
  const ref = knownRef(element);
  return `${ref ? `${ref} ` : ''}${kind}${name ? ` "${name}"` : ''}`;
}
