/** What agents did, newest first: one line each, with everything else one press away. Knows nothing of chrome.*. */

import { make } from './parts.js';
import { text } from './texts.js';

/**
 * @typedef {object} Action
 * @property {number} id
 * @property {string} kind
 * @property {number} time_ms
 * @property {string} what
 * @property {boolean} ended
 * @property {string | null} [client]
 * @property {string | null} [tool]
 * @property {string | null} [site]
 * @property {string | null} [url]
 * @property {string | null} [status]
 * @property {number | null} [duration_ms]
 * @property {string | null} [error]
 * @property {string | null} [decision]
 * @property {string | null} [rule]
 * @property {string | null} [risk]
 * @property {unknown} [arguments]
 * @property {string | null} [summary]
 */

/** @type {Record<string, [string, string, string]>} sign, colour, word */
const RESULTS = {
  ok: ['✓', 'ok', 'statusOk'],
  error: ['✕', 'stop', 'statusError'],
  refused: ['⊘', 'stop', 'statusRefused'],
  unknown: ['?', 'ask', 'statusUnknown'],
  cancelled: ['–', '', 'statusCancelled'],
  running: ['…', '', 'statusRunning'],
};

export const STATUSES = ['ok', 'error', 'refused', 'unknown', 'cancelled'];

/** How an action went: its sign, colour and word; a note went nowhere. @param {Action} action @returns {[string, string, string]} */
export function resultOf(action) {
  if (action.kind !== 'intent') return ['·', '', ''];
  const [sign, kind, word] = RESULTS[action.ended ? (action.status ?? 'unknown') : 'running'] ?? ['?', 'ask', 'statusUnknown'];
  return [sign, kind, text(word)];
}

/** @param {Action} action */
export function took(action) {
  if (action.kind !== 'intent' || !action.ended || action.duration_ms == null) return '';
  return action.duration_ms < 1000 ? text('tookMs', Math.round(action.duration_ms)) : text('tookS', (action.duration_ms / 1000).toFixed(1));
}

/** Brings a list up to date and leaves lines alone that say the same, so that an opened one stays open. @param {HTMLElement} list @param {Action[]} actions */
export function showActivity(list, actions) {
  const known = new Map([...list.children].map((line) => [line.getAttribute('data-is'), line]));
  const lines = actions.map((action) => {
    const is = `${action.id} ${action.ended}`;
    return known.get(is) ?? lineOf(action, is);
  });
  if (lines.length !== list.children.length || lines.some((line, index) => list.children[index] !== line)) list.replaceChildren(...lines);
}

/** @param {Action} action @param {string} is */
function lineOf(action, is) {
  const [sign, kind, word] = resultOf(action);
  const at = new Date(action.time_ms);
  const summary = make('summary', {},
    make('time', { datetime: at.toISOString() }, at.toLocaleTimeString([], { hour12: false })),
    make('span', { class: 'mark', 'data-kind': kind, ...(word ? { role: 'img', 'aria-label': word, title: word } : { 'aria-hidden': 'true' }) }, sign),
    make('span', { class: 'cut', title: action.what }, action.what),
    make('span', { class: 'took' }, took(action)));
  return make('li', { 'data-is': is }, make('details', {}, summary, detailsOf(action, word)));
}

/** @param {Action} action @param {string} word */
function detailsOf(action, word) {
  const given = action.arguments && Object.keys(action.arguments).length ? JSON.stringify(action.arguments, null, 1) : '';
  /** @type {[string, string | null | undefined][]} */
  const rows = [
    ['detailSummary', [word, action.summary].filter(Boolean).join(': ')],
    ['detailError', action.error],
    ['detailClient', action.client],
    ['detailTool', action.tool],
    ['detailAddress', action.url],
    ['detailSite', action.url ? '' : action.site],
    ['detailRule', action.rule],
    ['detailRisk', action.risk],
    ['detailArguments', given],
  ];
  const shown = rows.filter(([, value]) => value);
  return make('dl', { class: 'details' },
    ...shown.flatMap(([name, value]) => [make('dt', {}, text(name)), make('dd', {}, name === 'detailArguments' ? make('code', {}, value ?? '') : (value ?? ''))]));
}
