// The refs of this frame: which element each stands for.
//
// A ref stays with its element while the element lives. Elements are held weakly, so nothing here keeps one alive.

/** @typedef {{ prefix: string, firstRef: number }} RefOptions */
/** @typedef {{ node: WeakRef<Element | Text>, role: string, name: string }} RefEntry Role and name describe an element that is gone. */

/** @type {Map<string, RefEntry>} */
const entries = new Map();
/** @type {WeakMap<Element | Text, string>} */
const refs = new WeakMap();
let prefix = '';
let nextRef = 1;

export const documentToken = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

/** @param {RefOptions} options */
export function configureRefs(options) {
  prefix = options.prefix;
  nextRef = options.firstRef;
}

/**
 * The ref of an element, or of a text node that has a row of its own; a new one when it has none yet.
 * @param {Element | Text} node @param {string} role @param {string} name
 */
export function refOf(node, role, name) {
  let ref = refs.get(node);
  if (ref === undefined) {
    ref = prefix + nextRef++;
    refs.set(node, ref);
    entries.set(ref, { node: new WeakRef(node), role, name });
  } else {
    const entry = /** @type {RefEntry} */ (entries.get(ref));
    entry.role = role;
    entry.name = name;
  }
  return ref;
}

/** The ref that a node already has. @param {Element | Text} node */
export function knownRef(node) {
  return refs.get(node);
}

/** The highest ref given out so far, as a number. */
export function lastRef() {
  return nextRef - 1;
}

/** @param {string} ref */
export function refEntry(ref) {
  return entries.get(ref);
}

/** The element of a ref while it is in the document. @param {string} ref @returns {Element | null} */
export function elementOf(ref) {
  const node = entries.get(ref)?.node.deref();
  if (!node?.isConnected) return null;
  return node instanceof Element ? node : node.parentElement;
}
