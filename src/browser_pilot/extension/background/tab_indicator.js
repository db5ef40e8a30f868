/** The visible sign of a driven tab: a badge on the button, and a pill in the page (`sign.js`). */

import { text } from './texts.js';

const RUNNING = '#16803c';
const HALTED = '#b45309';
const ASKING = '#b45309';

/** @param {number} tabId @param {Record<string, unknown>} news */
export async function showSign(tabId, news) {
  const halted = typeof news.halted === 'string' ? news.halted : '';
  const label = text(halted ? (halted === 'paused' ? 'signPaused' : 'signStopped') : 'signRunning');
  const state = { to: 'page', label, halted, pause: text('pause'), resume: text('resume'), stop: text('stop') };
  const waiting = Array.isArray(news.waiting) ? news.waiting.length : 0;
  try {
    await chrome.action.setBadgeText({ tabId, text: waiting ? String(waiting) : halted ? '❚❚' : '●' });
    await chrome.action.setBadgeBackgroundColor({ tabId, color: waiting ? ASKING : halted ? HALTED : RUNNING });
    await chrome.action.setTitle({ tabId, title: `Browser Pilot: ${label}` });
    await chrome.scripting.executeScript({ target: { tabId }, files: ['sign.js'], injectImmediately: true });
    await chrome.tabs.sendMessage(tabId, state, { frameId: 0 });
  } catch {
    // The page is one that takes no scripts, or it is gone; the badge is there all the same.
  }
}

/** @param {number} tabId */
export async function hideSign(tabId) {
  try {
    await chrome.action.setBadgeText({ tabId, text: '' });
    await chrome.action.setTitle({ tabId, title: 'Browser Pilot' });
    await chrome.tabs.sendMessage(tabId, { to: 'page', gone: true }, { frameId: 0 });
  } catch {
    // As above.
  }
}
