// Facts about this document that only CDP provides and Python passes in: click listeners, closed shadow roots, frame numbers.
//
// See snapshot/listeners.py for the other end.

import { setClosedRoot, shadowRootOf } from './dom.js';

const MAX_SUSPECTED_HOSTS = 20;
const MAX_NEW_ROOTS = 50;
const MAY_BE_HOST = /^(DIV|SPAN|SECTION|ARTICLE|ASIDE|HEADER|FOOTER|MAIN|NAV|P|BLOCKQUOTE|H[1-6])$|-/;

/** @type {WeakSet<Element>} */
const clickListeners = new WeakSet();
/** @type {WeakMap<Element, number>} */
const frameNumbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const frameElements = new Map();
/** Elements that may have a closed shadow root and were not inspected yet. @type {Element[]} */
let suspectedHosts = [];
/** @type {WeakSet<Element>} */
const everSuspected = new WeakSet();
/** Shadow roots whose listeners were not requested yet. @type {ShadowRoot[]} */
let newRoots = [];
/** @type {WeakSet<ShadowRoot>} */
const knownRoots = new WeakSet();
let discoveries = 0;

/** The number of facts passed in so far. When it changes, a snapshot may have other rows. */
export function discoveryCount() {
  return discoveries;
}

/** @param {Element} element */
export function hasClickListener(element) {
  return clickListeners.has(element);
}

/**
 * Notes elements with listeners for clicks, or only for presses; returns the number of new ones. Charts listen for presses on each
 * of their shapes, which are no targets.
 * @param {boolean} clicks @param {...Element} elements
 */
export function noteListeners(clicks, ...elements) {
  let added = 0;
  for (const element of elements) {
    if (!(element instanceof Element) || clickListeners.has(element)) continue;
    if (!clicks && /** @type {SVGElement} */ (element).ownerSVGElement) continue;
    clickListeners.add(element);
    added++;
  }
  if (added) discoveries++;
  return added;
}

/** Notes an element that renders something though it seems empty: it may have a closed shadow root. @param {Element} element @param {string} tag */
export function suspectHost(element, tag) {
  if (suspectedHosts.length >= MAX_SUSPECTED_HOSTS || !MAY_BE_HOST.test(tag) || everSuspected.has(element) || shadowRootOf(element)) return;
  if (element.clientHeight < 8 && !tag.includes('-')) return;
  everSuspected.add(element);
  suspectedHosts.push(element);
}

export function suspectedHostCount() {
  return suspectedHosts.length;
}

/** The suspected hosts, each once. */
export function takeSuspectedHosts() {
  const found = suspectedHosts;
  suspectedHosts = [];
  return found.length ? found : null;
}

/** @param {ShadowRoot} root */
export function noteShadowRoot(root) {
  if (newRoots.length >= MAX_NEW_ROOTS || knownRoots.has(root)) return;
  knownRoots.add(root);
  newRoots.push(root);
}

export function newRootCount() {
  return newRoots.length;
}

/** The shadow roots whose listeners CDP should look up, each once. */
export function takeNewRoots() {
  const found = newRoots;
  newRoots = [];
  return found.length ? found : null;
}

/** @param {Element} host @param {ShadowRoot} root */
export function openRoot(host, root) {
  setClosedRoot(host, root);
  discoveries++;
}

/** Notes which frame an iframe element holds. @param {number} number @param {Element} element */
export function adoptFrame(number, element) {
  frameNumbers.set(element, number);
  frameElements.set(number, new WeakRef(element));
  discoveries++;
}

/** @param {Element} element */
export function frameNumberOf(element) {
  return frameNumbers.get(element);
}

/** The iframe element of a frame while it is in the document. @param {number} number */
export function frameElementOf(number) {
  const element = frameElements.get(number)?.deref();
  return element?.isConnected ? element : null;
}
