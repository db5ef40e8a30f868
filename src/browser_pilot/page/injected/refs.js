// The elements that this frame has shown, by ref, and what the frame knows of itself.
//
// A ref stays with its element while the element lives. The registry holds elements weakly: it never keeps one alive.

/** @typedef {{ prefix: string, firstRef: number }} Options */
/** @typedef {{ node: WeakRef<Element | Text>, role: string, name: string }} Entry */

/** @type {Map<string, Entry>} */
const entries = new Map();
/** @type {WeakMap<Element | Text, string>} */
const refs = new WeakMap();
/** @type {WeakMap<Element, number>} */
const frameNumbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const frameElements = new Map();
/** Elements that the debugger says listen for clicks. @type {WeakSet<Element>} */
const listening = new WeakSet();
/** @type {Element[]} */
let suspects = [];
/** @type {WeakSet<Element>} */
const suspected = new WeakSet();
/** Shadow roots that a walk came through and whose listeners were not asked for yet. @type {ShadowRoot[]} */
let unheard = [];
/** @type {WeakSet<ShadowRoot>} */
const heardRoots = new WeakSet();
const documentToken = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
let nextRef = options.firstRef;
/** How often the debugger has told of the document what no script can know. */
let discoveries = 0;

/**
 * The ref of an element, or of a text that stands for itself; a new one when it has none yet. Role and name are what to
 * say of it once it is gone.
 * @param {Element | Text} node @param {string} role @param {string} name
 */
function refOf(node, role, name) {
  let ref = refs.get(node);
  if (ref === undefined) {
    ref = options.prefix + nextRef++;
    refs.set(node, ref);
    entries.set(ref, { node: new WeakRef(node), role, name });
  } else {
    const entry = /** @type {Entry} */ (entries.get(ref));
    entry.role = role;
    entry.name = name;
  }
  return ref;
}

/** The element of a ref while it is in the document. @param {string} ref @returns {Element | null} */
function elementOf(ref) {
  const node = entries.get(ref)?.node.deref();
  if (!node?.isConnected) return null;
  return node instanceof Element ? node : node.parentElement;
}

Object.assign(pilot, {
  /** Scripts of others that were lent to this world, by name. @type {Record<string, any>} */
  libraries: {},
  documentToken: () => documentToken,
  documentNode: () => document,
  /** Waits for ever, to try what becomes of a call that the page leaves behind. */
  never: () => new Promise(() => {}),
  /** @param {string} ref */
  elementOf,
  /**
   * Notes elements that listen for clicks or presses; tells how many are new. Charts listen for presses on each of their
   * strokes, which is nothing to act on.
   * @param {boolean} clicks @param {...Element} elements
   */
  noteListeners(clicks, ...elements) {
    let fresh = 0;
    for (const element of elements) {
      if (!(element instanceof Element) || listening.has(element)) continue;
      if (!clicks && /** @type {SVGElement} */ (element).ownerSVGElement) continue;
      listening.add(element);
      fresh++;
    }
    if (fresh) discoveries++;
    return fresh;
  },
  /** Elements that may hold a closed shadow root and were not looked at yet. */
  suspectList() {
    const found = suspects;
    suspects = [];
    return found.length ? found : null;
  },
  /** Shadow roots whose listeners the debugger should look up; each is told once. */
  unheardRoots() {
    const found = unheard;
    unheard = [];
    return found.length ? found : null;
  },
  /** @param {Element} host @param {ShadowRoot} root */
  openRoot(host, root) {
    closedRoots.set(host, root);
    discoveries++;
  },
  /** Notes which frame an iframe element holds. @param {number} number @param {Element} element */
  adoptFrame(number, element) {
    frameNumbers.set(element, number);
    frameElements.set(number, new WeakRef(element));
    discoveries++;
  },
});
