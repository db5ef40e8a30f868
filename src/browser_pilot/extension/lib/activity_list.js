/** The list of what agents did, newest first: one row each, with details that open. Uses no chrome.*. */

import { createElement, updateChildren } from './dom.js';
import { getMessage } from './i18n.js';

/**
 * @typedef {object} Action an entry of the audit log
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
 * @property {string | null} [approval]
 * @property {string | null} [grant]
 * @property {unknown} [arguments]
 * @property {string | null} [summary]
 * @property {string | null} [run]
 * @property {number | null} [step]
 * @property {number | null} [steps]
 */

/** @typedef {{ symbol: string, kind: string, label: string }} Result `kind` is the colour */

/** @type {Record<string, { symbol: string, kind: string, message: string }>} */
const RESULTS = {
  ok: { symbol: '✓', kind: 'ok', message: 'statusOk' },
  error: { symbol: '✕', kind: 'stop', message: 'statusError' },
  refused: { symbol: '⊘', kind: 'stop', message: 'statusRefused' },
  unknown: { symbol: '?', kind: 'ask', message: 'statusUnknown' },
  cancelled: { symbol: '–', kind: '', message: 'statusCancelled' },
  running: { symbol: '…', kind: '', message: 'statusRunning' },
};

export const STATUSES = ['ok', 'error', 'refused', 'unknown', 'cancelled'];

/** How an action ended; a note has no result. @param {Action} action @returns {Result} */
export function resultOf(action) {
  if (action.kind !== 'intent') return { symbol: '·', kind: '', label: '' };
  const { symbol, kind, message } = RESULTS[action.ended ? (action.status ?? 'unknown') : 'running'] ?? { symbol: '?', kind: 'ask', message: 'statusUnknown' };
  return { symbol, kind, label: getMessage(message) };
}

/** @param {Action} action */
export function durationOf(action) {
  if (action.kind !== 'intent' || !action.ended || action.duration_ms == null) return '';
  return action.duration_ms < 1000 ? getMessage('durationMs', Math.round(action.duration_ms)) : getMessage('durationSeconds', (action.duration_ms / 1000).toFixed(1));
}

/** Keeps rows that did not change, so that open details stay open. @param {HTMLElement} list @param {Action[]} actions */
export function renderActivity(list, actions) {
  const known = new Map([...list.children].map((row) => [row.getAttribute('data-version'), row]));
  updateChildren(list, actions.map((action) => {
    const version = `${action.id} ${action.ended}`;
    return known.get(version) ?? createRow(action, version);
  }));
}

/** @param {Action} action @param {string} version */
function createRow(action, version) {
  const { symbol, kind, label } = resultOf(action);
  const at = new Date(action.time_ms);
  const summary = createElement('summary', {},
    createElement('time', { datetime: at.toISOString() }, at.toLocaleTimeString([], { hour12: false })),
    createElement('span', { class: 'result', 'data-kind': kind, ...(label ? { role: 'img', 'aria-label': label, title: label } : { 'aria-hidden': 'true' }) }, symbol),
    createElement('span', { class: 'truncate', title: action.what }, action.what),
    createElement('span', { class: 'duration' }, durationOf(action)));
  return createElement('li', { 'data-version': version }, createElement('details', {}, summary, createDetails(action, label)));
}

/** The id of the approval, and whether it was an earlier one. @param {Action} action */
function approvalOf(action) {
  return action.approval && action.grant === 'session' ? getMessage('grantedForSession', action.approval) : action.approval;
}

/** The run that the action is a step of. @param {Action} action */
function runOf(action) {
  return action.run ? `${action.run} · ${getMessage('runStep', action.step ?? 0, action.steps ?? 0)}` : '';
}

/** @param {Action} action @param {string} result */
function createDetails(action, result) {
  const args = action.arguments && Object.keys(action.arguments).length ? JSON.stringify(action.arguments, null, 1) : '';
  /** @type {[string, string | null | undefined][]} */
  const rows = [
    ['detailSummary', [result, action.summary].filter(Boolean).join(': ')],
    ['detailError', action.error],
    ['detailClient', action.client],
    ['detailTool', action.tool],
    ['detailRun', runOf(action)],
    ['detailUrl', action.url],
    ['detailSite', action.url ? '' : action.site],
    ['detailRule', action.rule],
    ['detailRisk', action.risk],
    ['detailApproval', approvalOf(action)],
    ['detailArguments', args],
  ];
  const filled = rows.filter(([, value]) => value);
  return createElement('dl', { class: 'details' },
    ...filled.flatMap(([name, value]) => [createElement('dt', {}, getMessage(name)), createElement('dd', {}, name === 'detailArguments' ? createElement('code', {}, value ?? '') : (value ?? ''))]));
}
