// Precomputes the next snapshot while an action waits for a quiet frame: the page is idle then, and a snapshot usually follows.
//
// A prefetched reading is used only if nothing that it depends on has changed since; otherwise the page is read again.

import { discoveryCount } from '../cdp_facts.js';
import { focusedElement } from '../dom.js';
import { mutationCount, onQuietFrameWait, selfMutating } from '../mutation_watch.js';
import { walkPage } from './page_reader.js';

/** @import { Watch } from '../mutation_watch.js' */
/** @import { Reading, ReadOptions } from './page_reader.js' */

// A longer reading could delay the page, so it is done only on request.
const MAX_PREFETCH_MS = 150;
// A later request has another cause, and what cannot be observed may have changed by then.
const PREFETCH_TTL_MS = 500;
const MAX_COMPARED_FIELDS = 500;

/** How the whole page was last read, and how long that took. @type {{ key: string, durationMs: number } | null} */
let lastRead = null;
/** @type {{ key: string, reading: Reading, state: string, focus: Element | null, at: number } | null} */
let prefetched = null;
let metShadowRoots = false;

onQuietFrameWait(prefetchSnapshot);

/** @param {Watch} watch */
function prefetchSnapshot(watch) {
  prefetched = null;
  if (lastRead === null || lastRead.durationMs > MAX_PREFETCH_MS || watch.navigating || watch.downloading) return;
  const state = selfMutating(watch) ? null : observableState();
  if (state === null) return;
  const { key } = lastRead;
  try {
    prefetched = { key, state, focus: focusedElement(), at: performance.now(), reading: walk(JSON.parse(key)) };
  } catch {
    // The action must not fail because of it; the next snapshot will.
  }
}

/** The prefetched reading, if it has the requested options and is still valid. @param {ReadOptions} options @returns {Reading | null} */
export function takePrefetched(options) {
  const ahead = prefetched;
  prefetched = null;
  if (ahead === null || ahead.key !== optionsKey(options) || performance.now() - ahead.at > PREFETCH_TTL_MS) return null;
  if (ahead.focus !== focusedElement()) return null;
  return ahead.state === observableState() ? ahead.reading : null;
}

/** @param {ReadOptions} options @returns {Reading} */
export function readPage(options) {
  const startedAt = performance.now();
  const reading = walk(options);
  lastRead = options.root || options.start ? null : { key: optionsKey(options), durationMs: performance.now() - startedAt };
  return reading;
}

/** @param {ReadOptions} options */
function walk(options) {
  const reading = walkPage(options);
  metShadowRoots = reading.metShadowRoots;
  return reading;
}

/** @param {ReadOptions} options */
function optionsKey(options) {
  return JSON.stringify({ ...options, known: undefined });
}

/**
 * What a reading depends on: how often nodes and attributes have changed, and what no MutationObserver reports. Null when that cannot
 * be known: in shadow roots, during animations, or when a page's elements hide properties of `document` (`<form name=styleSheets>`).
 */
function observableState() {
  try {
    return metShadowRoots || document.getAnimations().length ? null : JSON.stringify([mutationCount(), discoveryCount(), ...volatileState()]);
  } catch {
    return null;
  }
}

function volatileState() {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input, select, textarea'));
  if (fields.length > MAX_COMPARED_FIELDS) throw new RangeError('too many fields');
  const values = Array.from(fields, (field) => [field.value, field.checked, field.indeterminate, field.matches(':user-invalid')]);
  const selected = Array.from(document.querySelectorAll('select[multiple]'), (select) => select.querySelectorAll(':checked').length);
  const sheets = [...document.styleSheets, ...document.adoptedStyleSheets].map((sheet) => (sheet.disabled ? 'off' : ruleCount(sheet)));
  const open = document.querySelectorAll(':popover-open, :modal').length;
  return [values, selected, sheets, open, innerWidth, innerHeight, scrollX, scrollY];
}

/** @param {CSSStyleSheet} sheet */
function ruleCount(sheet) {
  try {
    return sheet.cssRules.length;
  } catch {
    return 'cross-origin'; // no script of the page can change it either
  }
}
