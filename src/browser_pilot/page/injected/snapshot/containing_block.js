// Which elements positioned descendants are placed in and clipped by (CSS Positioned Layout, section 2.1).
//
// Compared with Chromium's own hit test by tests/page/snapshot/test_visual_hiding.py.

/** @import { StyleInfo } from '../dom.js' */

const CONTAINING_WILL_CHANGE = /transform|translate|rotate|scale|perspective|filter|contain/;

/** Whether an element is the containing block of absolutely positioned descendants. @param {StyleInfo} style */
export function containsAbsolute(style) {
  return style.position !== 'static' || containsFixed(style);
}

/** The same for fixed ones: by default that is the viewport. @param {StyleInfo} style */
export function containsFixed({ computed, display }) {
  if (computed.filter !== 'none' || computed.backdropFilter !== 'none') return true;
  if (display === 'inline') return false;
  return computed.transform !== 'none' || computed.translate !== 'none' || computed.rotate !== 'none' || computed.scale !== 'none'
    || computed.perspective !== 'none' || computed.offsetPath !== 'none' || computed.transformStyle === 'preserve-3d'
    || computed.contentVisibility !== 'visible' || /layout|paint|strict|content/.test(computed.contain) || CONTAINING_WILL_CHANGE.test(computed.willChange);
}
