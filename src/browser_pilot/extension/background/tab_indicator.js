/** Marks a controlled tab: the badge of the toolbar button, and an indicator in the page (`content/indicator.js`). */

import { getMessage } from '../lib/i18n.js';

const RUNNING = '#16803c';
const HALTED = '#b45309';
const NEEDS_USER = '#b45309';

/** @param {number} tabId @param {import('../lib/connection_status.js').HubState} hub */
export async function showIndicator(tabId, { halted = '', approvals = [] }) {
  const label = getMessage(halted ? (halted === 'paused' ? 'indicatorPaused' : 'indicatorStopped') : 'indicatorRunning');
  const state = { to: 'indicator', type: 'show', label, halted, pause: getMessage('pause'), resume: getMessage('resume'), stop: getMessage('stop') };
  const pending = approvals.length;
  try {
    await chrome.action.setBadgeText({ tabId, text: pending ? String(pending) : halted ? '❚❚' : '●' });
    await chrome.action.setBadgeBackgroundColor({ tabId, color: pending ? NEEDS_USER : halted ? HALTED : RUNNING });
    await chrome.action.setTitle({ tabId, title: `Browser Pilot: ${label}` });
    await chrome.scripting.executeScript({ target: { tabId }, files: ['content/indicator.js'], injectImmediately: true });
    await chrome.tabs.sendMessage(tabId, state, { frameId: 0 });
  } catch {
    // The tab is closed, or scripts cannot be injected into its page; the badge is shown in any case.
  }
}

/** @param {number} tabId */
export async function hideIndicator(tabId) {
  try {
    await chrome.action.setBadgeText({ tabId, text: '' });
    await chrome.action.setTitle({ tabId, title: 'Browser Pilot' });
    await chrome.tabs.sendMessage(tabId, { to: 'indicator', type: 'remove' }, { frameId: 0 });
  } catch {
    // As above.
  }
}
