// What a screenshot needs: where an element is, and labels with refs over the elements while it is taken.

import { frameElementOf } from '../cdp_facts.js';
import { outerPoint } from '../geometry.js';
import { elementOf } from '../refs.js';

/** @import { Point } from '../geometry.js' */

/** @type {HTMLElement | null} */
let labelLayer = null;

/** The box of an element in this frame's viewport, or null. @param {string} ref */
export function viewportBox(ref) {
  const element = elementOf(ref);
  if (!element) return null;
  const rect = element.getBoundingClientRect();
  return [rect.left, rect.top, rect.width, rect.height];
}

/** Converts a point of a child frame to this frame. @param {number} number @param {Point} inner */
export function toParentPoint(number, inner) {
  const frame = frameElementOf(number);
  return frame && outerPoint(frame, inner);
}

/** Draws refs over their elements. @param {string[]} refs */
export function showLabels(refs) {
  removeLabels();
  labelLayer = document.createElement('div');
  labelLayer.style.cssText = 'all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none';
  labelLayer.setAttribute('aria-hidden', 'true');
  const root = labelLayer.attachShadow({ mode: 'closed' });
  for (const ref of refs) {
    const rect = elementOf(ref)?.getBoundingClientRect();
    if (!rect || rect.width === 0 || rect.bottom < 0 || rect.top > innerHeight) continue;
    const frame = document.createElement('div');
    frame.style.cssText = `position: fixed; box-sizing: border-box; border: 2px solid #d6336c; left: ${rect.left}px;
      top: ${rect.top}px; width: ${rect.width}px; height: ${rect.height}px`;
    const tag = document.createElement('span');
    tag.textContent = ref;
    tag.style.cssText = `position: absolute; left: -2px; top: ${rect.top > 14 ? -14 : 0}px; padding: 0 3px;
      background: #d6336c; color: #fff; font: bold 11px/14px sans-serif`;
    frame.append(tag);
    root.append(frame);
  }
  document.documentElement.append(labelLayer);
}

export function removeLabels() {
  labelLayer?.remove();
  labelLayer = null;
}
