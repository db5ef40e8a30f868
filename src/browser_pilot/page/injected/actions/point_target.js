// The element at a point of this frame's viewport, as the target of an action.

import { frameNumberOf } from '../cdp_facts.js';
import { startReading } from '../dom.js';
import { innerPoint } from '../geometry.js';
import { lastRef, refOf } from '../refs.js';
import { roleOf, WIDGET_ROLES } from '../snapshot/roles.js';
import { describeElement } from './failures.js';
import { deepestAt, isFrame, nearestInteractive } from './hit_testing.js';
import { displayName } from './target_facts.js';

const MAX_CONTROL_DESCENDANTS = 12;

/** The control that an element is a part of; a large container that handles events is none. @param {Element} hit */
function controlAround(hit) {
  const control = nearestInteractive(hit, null);
  if (control === null) return hit;
  return WIDGET_ROLES.has(roleOf(control)) || control.querySelectorAll('*').length <= MAX_CONTROL_DESCENDANTS ? control : hit;
}

/**
 * The control at a point, or else what is drawn there; for a child frame, its number and the point in it.
 * @param {number} x @param {number} y
 */
export function elementAtPoint(x, y) {
  startReading();
  const hit = deepestAt({ x, y });
  if (hit === null) return { error: 'nothing there', by: `${innerWidth} × ${innerHeight}` };
  const frame = frameNumberOf(hit);
  if (frame !== undefined) return { frame, ...innerPoint(hit, { x, y }) };
  if (isFrame(hit)) return { error: 'frame', by: describeElement(hit) };
  const element = controlAround(hit);
  const role = roleOf(element);
  const name = displayName(element, role);
  return { ref: refOf(element, role, name), role: role === 'generic' ? `<${element.localName}>` : role, name, lastRef: lastRef() };
}
