// Scrolls the page, a scroll container, or an element into view.

import { parentOf } from '../dom.js';
import { startWatch, waitIdle } from '../mutation_watch.js';
import { elementOf } from '../refs.js';
import { goneFailure } from './failures.js';

/** @param {Element} element */
function isScrollable(element) {
  if (element === document.scrollingElement) return true;
  const { overflowX, overflowY } = getComputedStyle(element);
  return (element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(overflowY))
    || (element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(overflowX));
}

/** The nearest scroll container of an element, itself included; the page's largest when there is no element. @param {Element | null} element @returns {Element} */
function scrollContainer(element) {
  const page = document.scrollingElement ?? document.documentElement;
  if (element === null) {
    if (page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1) return page;
    const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    return middle ? scrollContainer(middle) : page;
  }
  for (let node = /** @type {Element | null} */ (element); node; node = parentOf(node)) if (isScrollable(node)) return node;
  return page;
}

/**
 * Scrolls by pixels or to an end, or brings an element into view.
 * @param {string | null} ref @param {{ dx: number, dy: number, to: 'top' | 'bottom' | 'element' | null }} options
 */
export function scrollTarget(ref, options) {
  const element = ref === null ? null : elementOf(ref);
  if (ref !== null && element === null) return goneFailure(ref);
  startWatch();
  if (options.to === 'element') {
    element?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return { moved: true, scroll: scrollPosition(scrollContainer(element)) };
  }
  const container = scrollContainer(element);
  const before = [container.scrollLeft, container.scrollTop];
  if (options.to === 'top') container.scrollTo({ top: 0, behavior: 'instant' });
  else if (options.to === 'bottom') container.scrollTo({ top: container.scrollHeight, behavior: 'instant' });
  else container.scrollBy({ left: options.dx, top: options.dy, behavior: 'instant' });
  const moved = container.scrollLeft !== before[0] || container.scrollTop !== before[1];
  return { moved, scroll: scrollPosition(container) };
}

/** @param {Element} container */
function scrollPosition(container) {
  const height = container === document.scrollingElement ? innerHeight : container.clientHeight;
  return { top: Math.round(container.scrollTop), left: Math.round(container.scrollLeft), height, total: container.scrollHeight };
}

/** The scroll position once the page is quiet. @param {string | null} ref */
export async function scrollResult(ref) {
  const result = await waitIdle();
  const element = ref === null ? null : elementOf(ref);
  return { ...result, scroll: scrollPosition(scrollContainer(element)) };
}
