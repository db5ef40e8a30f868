/** Marks a controlled tab: the badge of the toolbar button, and an indicator in the page (`content/indicator.js`). */

import { getMessage } from '../lib/i18n.js';

const RUNNING = '#16803c';
const HALTED = '#b45309';
const NEEDS_USER = '#b45309';

/** The latest call of `showIndicator` for each tab: an earlier one that is still under way must not undo it. @type {Map<number, symbol>} */
const latest = new Map();

/** @param {number} tabId @param {import('../lib/connection_status.js').HubState} hub */
export async function showIndicator(tabId, { halted = '', approvals = [] }) {
  const current = Symbol(tabId);
  latest.set(tabId, current);
  const pending = approvals.length;
  const view = indicatorView(halted, pending);
  const { label } = view;
  try {
    await chrome.action.setBadgeText({ tabId, text: pending ? String(pending) : halted ? '❚❚' : '●' });
    await chrome.action.setBadgeBackgroundColor({ tabId, color: pending ? NEEDS_USER : halted ? HALTED : RUNNING });
    await chrome.action.setTitle({ tabId, title: `Browser Pilot: ${label}` });
    await chrome.scripting.executeScript({ target: { tabId }, files: ['content/indicator.js'], injectImmediately: true });
    if (latest.get(tabId) !== current) return;
    await chrome.tabs.sendMessage(tabId, { to: 'indicator', type: 'show', ...view }, { frameId: 0 });
  } catch {
    // The tab is closed, or scripts cannot be injected into its page; the badge is shown in any case.
  }
}

/**
 * What the indicator says, and the texts of its buttons; an empty text hides a button. There is never a Resume.
 * @param {string} halted @param {number} pending the number of pending approval requests
 */
export function indicatorView(halted, pending) {
  const state = pending ? 'waiting' : halted ? 'paused' : 'running';
  const label = getMessage(pending ? 'indicatorWaiting' : halted === 'stopped' ? 'indicatorStopped' : halted ? 'indicatorPaused' : 'indicatorRunning');
  return {
    state,
    label,
    review: pending ? getMessage('review') : halted ? getMessage('openPanel') : '',
    pause: halted ? '' : getMessage('pause'),
    stop: halted === 'stopped' ? '' : getMessage('stop'),
  };
}

/** @param {number} tabId */
export async function hideIndicator(tabId) {
  latest.delete(tabId);
  try {
    await chrome.action.setBadgeText({ tabId, text: '' });
    await chrome.action.setTitle({ tabId, title: 'Browser Pilot' });
    await chrome.tabs.sendMessage(tabId, { to: 'indicator', type: 'remove' }, { frameId: 0 });
  } catch {
    // As above.
  }
}
