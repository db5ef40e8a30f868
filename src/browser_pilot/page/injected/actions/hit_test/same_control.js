// Whether two elements are parts of one control, so that a click on the one is a click on the other.

import { parentOf } from '../../dom.js';
import { isClickable } from '../../snapshot/clickable.js';

const WHOLE_CONTROL =
  'a[href], button, label, summary, option, [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], '
  + '[role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=treeitem]';
const DRAWN_SHAPES = 'rect, circle, ellipse, path, polygon, polyline, line, image, use, foreignObject';
// A larger element that can be clicked is an area with controls in it.
const MAX_PARTS = 40;

/** Whether a click on one element acts on the control that another one is a part of. @param {Element} hit @param {Element} wanted */
export function isSameControl(hit, wanted) {
  if (wanted instanceof HTMLLabelElement && wanted.control === hit) return true;
  const control = controlOf(wanted);
  if (control === wanted) return false;
  if (control !== null && controlOf(hit) === control) return true;
  const group = shapeGroupOf(wanted);
  if (group === null || !group.contains(hit)) return false;
  const other = hit.closest(WHOLE_CONTROL);
  return other === null || other.contains(group);
}

/** The innermost control around an element, or the element itself. @param {Element} element @returns {Element | null} */
function controlOf(element) {
  for (let node = /** @type {Element | null} */ (element); node && node !== document.body; node = parentOf(node)) {
    if (node.matches(WHOLE_CONTROL) || (isClickable(node) && isSmall(node))) return node;
  }
  return null;
}

/** The SVG group that draws an element together with shapes, such as a node of a diagram with its label. @param {Element} element @returns {Element | null} */
function shapeGroupOf(element) {
  if (!(element instanceof SVGElement)) return null;
  for (let group = element.parentElement; group instanceof SVGGElement; group = group.parentElement) {
    if ([...group.querySelectorAll(DRAWN_SHAPES)].some((shape) => !element.contains(shape))) return isSmall(group) ? group : null;
  }
  return null;
}

/** @param {Element} element */
function isSmall(element) {
  return element.querySelectorAll('*').length <= MAX_PARTS;
}
