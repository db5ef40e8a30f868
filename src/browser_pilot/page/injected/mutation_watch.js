// Watches what an action causes in this document: DOM mutations, counted by frames, and navigations.
//
// This module is injected while the document is still loading; most others follow on first need (see injected_script.py).
// One watch at a time, from `startWatch` until `report`. Nodes that mutate all the time by themselves (a clock, a ticker)
// are detected before the action and do not count.

import { FRAME_TIMEOUT_MS, MAX_FRAMES, nextFrame, nextTask } from './scheduling.js';

/** @typedef {{ mutations: number, nodes: Map<Node, number>, startedAt: number, navigating: string | null, sameDocument: boolean,
 *   downloading: boolean, stopped: boolean }} Watch `stopped`: input was stopped, because its target had changed. */

const MIN_FRAME_WAIT_MS = 6;
const SELF_MUTATING_COUNT = 3;
const SELF_MUTATING_MS = 1_000;
const MAX_TITLE_LENGTH = 1_000;
const REST_AFTER_MUTATION_MS = 250;

/** When each node last mutated outside a watch, newest first. @type {WeakMap<Node, number[]>} */
const unwatchedMutations = new WeakMap();
/** Called once in each wait for a quiet frame, right after that frame was requested. @type {((watch: Watch) => void)[]} */
const quietFrameCallbacks = [];
/** @type {Watch | null} */
let currentWatch = null;
let observing = false;
let mutations = 0;
let selfMutatedAt = -Infinity;
let mutatedAt = -Infinity;

// While a document is being parsed, all of it is a mutation.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', observe, { once: true });
else observe();
globalThis.navigation?.addEventListener('navigate', onNavigate);

function observe() {
  if (observing) return;
  observing = true;
  new MutationObserver(onMutations).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** @param {MutationRecord[]} records */
function onMutations(records) {
  const now = performance.now();
  mutations += records.length;
  const nodes = new Set(records.map((record) => record.target));
  for (const node of nodes) {
    if (currentWatch !== null && !isSelfMutating(node, currentWatch.startedAt)) {
      mutatedAt = now;
      currentWatch.mutations++;
      currentWatch.nodes.set(node, (currentWatch.nodes.get(node) ?? 0) + 1);
    } else {
      unwatchedMutations.set(node, [now, ...(unwatchedMutations.get(node) ?? [])].slice(0, SELF_MUTATING_COUNT));
      if (isSelfMutating(node, now)) selfMutatedAt = now;
      else mutatedAt = now;
    }
  }
}

/** @param {Node} node @param {number} at */
function isSelfMutating(node, at) {
  const times = unwatchedMutations.get(node);
  return times?.length === SELF_MUTATING_COUNT && at - times[SELF_MUTATING_COUNT - 1] < SELF_MUTATING_MS;
}

/** How many mutations the document has had, from any cause. */
export function mutationCount() {
  return mutations;
}

/** When the document last had a mutation other than by what mutates all the time. */
export function lastMutationAt() {
  return mutatedAt;
}

/**
 * Waits while the document loads or changes, other than by what changes all the time. Returns whether it did, and whether it still does.
 * @param {number} timeoutMs @param {boolean} changeExpected whether a response has just arrived that the page may show
 */
export async function waitAtRest(timeoutMs, changeExpected) {
  const startedAt = performance.now();
  const isWorking = () => document.readyState !== 'complete'
    || performance.now() - (changeExpected ? Math.max(mutatedAt, startedAt) : mutatedAt) < REST_AFTER_MUTATION_MS;
  const worked = isWorking();
  while (isWorking() && performance.now() - startedAt < timeoutMs) await nextFrame();
  return { worked, working: isWorking() };
}

/** Whether the document was mutating by itself when a watch began. @param {Watch} watch */
export function selfMutating(watch) {
  return watch.startedAt - selfMutatedAt < SELF_MUTATING_MS;
}

/** Adds work to do while the browser prepares the frame that is waited for. @param {(watch: Watch) => void} callback */
export function onQuietFrameWait(callback) {
  quietFrameCallbacks.push(callback);
}

/** @param {NavigateEvent} event */
function onNavigate(event) {
  if (currentWatch === null) return;
  const watch = currentWatch;
  if (event.downloadRequest !== null) {
    watch.downloading = true;
    return;
  }
  // Whether the page's own listeners cancel the navigation is known only after all of them have run.
  queueMicrotask(() => {
    if (event.defaultPrevented) return;
    watch.navigating = event.destination.url;
    watch.sameDocument = event.destination.sameDocument;
  });
}

/** @returns {Watch} */
export function startWatch() {
  observe();
  currentWatch = {
    mutations: 0, nodes: new Map(), startedAt: performance.now(), navigating: null, sameDocument: false, downloading: false, stopped: false,
  };
  return currentWatch;
}

/** Waits for a frame without mutations, at most MAX_FRAMES. @param {Watch} watch */
export async function waitQuiet(watch) {
  await nextTask();
  let callbacks = quietFrameCallbacks;
  for (let frames = 0; frames < MAX_FRAMES; frames++) {
    const before = watch.mutations;
    const startedAt = performance.now();
    while (performance.now() - startedAt < MIN_FRAME_WAIT_MS) {
      const frame = nextFrame();
      for (const callback of callbacks) callback(watch);
      callbacks = [];
      await frame;
      await nextTask();
    }
    if (watch.mutations === before) return true;
  }
  // What mutated in most of the frames will continue: the next action does not wait for it.
  const now = performance.now();
  for (const [node, times] of watch.nodes) {
    if (times > MAX_FRAMES / 2) unwatchedMutations.set(node, Array(SELF_MUTATING_COUNT).fill(now));
  }
  return false;
}

/** The same, but a page without mutations by the end of its tasks counts as quiet. @param {Watch} watch */
export async function waitQuietOrUntouched(watch) {
  await nextTask();
  await nextTask();
  return watch.mutations === 0 || waitQuiet(watch);
}

/** @param {Watch} watch */
export function isCurrentWatch(watch) {
  return currentWatch === watch;
}

/** Ends a watch. @param {Watch} watch @param {boolean} quiet */
export function report(watch, quiet) {
  if (currentWatch === watch) currentWatch = null;
  const { navigating, sameDocument, downloading, stopped } = watch;
  return { quiet, navigating, sameDocument, downloading, stopped };
}

/** Waits until the page is quiet and reports the watch; without one (a new document) it watches from now on. */
export async function waitIdle() {
  const watch = currentWatch ?? startWatch();
  return report(watch, await waitQuiet(watch));
}

/** The same for a document that may still be loading. @param {number} timeoutMs @param {number} maxTimeoutMs @param {boolean} isNew */
export async function waitUsable(timeoutMs, maxTimeoutMs, isNew) {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  // After the timeout, a page with any text is usable; one without text gets the maximum.
  // The text is read only then: it costs a layout of the whole page.
  const mayWait = () => elapsed() < timeoutMs || (elapsed() < maxTimeoutMs && !document.body?.innerText.trim());
  while (document.readyState === 'loading' && mayWait()) {
    await new Promise((resolve) => {
      document.addEventListener('readystatechange', resolve, { once: true });
      setTimeout(resolve, FRAME_TIMEOUT_MS);
    });
  }
  const watch = currentWatch ?? startWatch();
  const quiet = await (isNew ? Promise.race([waitQuiet(watch), waitLoadedAndIdle(watch)]) : waitQuiet(watch));
  return { ...report(watch, quiet), ...(window === top ? { title: pageTitle() } : {}) };
}

/**
 * Waits for the load event, and then for a round of tasks without mutations. Rendering the page may take longer than loading it.
 * @param {Watch} watch
 */
async function waitLoadedAndIdle(watch) {
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
  for (let rounds = 0; rounds < MAX_FRAMES; rounds++) {
    const before = watch.mutations;
    await nextTask();
    await new Promise((resolve) => setTimeout(resolve));
    await nextTask();
    if (watch.mutations === before) return true;
  }
  return waitQuiet(watch);
}

/** The beginning of the title; a page may set one of any length. */
export function pageTitle() {
  return document.title.slice(0, MAX_TITLE_LENGTH);
}
