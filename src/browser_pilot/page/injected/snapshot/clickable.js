// Whether a user could act on an element itself.

import { hasClickListener } from '../cdp_facts.js';
import { parentOf, styleOf, tagOf } from '../dom.js';
import { isEditable, WIDGET_ROLES } from './roles.js';

/** @import { StyleInfo } from '../dom.js' */

// A listener on a larger element handles events of its descendants.
const MAX_LISTENER_DESCENDANTS = 12;

/** @param {Element} element @param {string} tag @param {string} role @param {StyleInfo} style @param {boolean} parentPointer whether the parent has the cursor of a link */
export function isActionable(element, tag, role, style, parentPointer) {
  if (WIDGET_ROLES.has(role) || element.hasAttribute('onclick')) return true;
  if (tag === 'BODY' || tag === 'HTML' || tag === 'LABEL') return false;
  if (style.cursor === 'pointer' && !parentPointer) return true;
  if (hasClickListener(element) && element.querySelectorAll('*').length <= MAX_LISTENER_DESCENDANTS) return true;
  const tabindex = element.getAttribute('tabindex');
  if (tabindex !== null && Number(tabindex) >= 0 && tag !== 'PRE' && role !== 'tabpanel' && role !== 'dialog') return true;
  if (element.getAttribute('draggable') === 'true') return true;
  return ((tag === 'VIDEO' || tag === 'AUDIO') && element.hasAttribute('controls')) || isEditable(element);
}

/** The same, whatever the element's role is. @param {Element} element */
export function isClickable(element) {
  const parent = parentOf(element);
  return isActionable(element, tagOf(element), 'generic', styleOf(element), parent !== null && styleOf(parent).cursor === 'pointer');
}
