/** What the popup shows for what is known: pure, so that every state can be tested. */

import { TEXTS } from './texts.js';

/** @typedef {{ phase: import('./link.js').Phase, problem: string, server: string, retryAt: number, down: number, up: number }} LinkStatus */
/** @typedef {{ tab: { kind: string, since: number } | null, news: { mode?: string, halted?: string, agents?: string[] } }} TabStatus */
/** @typedef {{ title: string, url: string }} Page */
/** @typedef {'ok' | 'ask' | 'stop' | ''} Kind */

const STATES = {
  unpaired: TEXTS.stateUnpaired,
  off: TEXTS.stateOff,
  away: TEXTS.stateAway,
  greeting: TEXTS.stateGreeting,
  connected: TEXTS.stateConnected,
  refused: TEXTS.stateRefused,
};

/** @param {string} url */
export function canBeShared(url) {
  return /^https?:/.test(url) || url === 'about:blank';
}

/** @param {LinkStatus} link @param {TabStatus} tab @param {Page} page @param {number} now */
export function popupView(link, tab, page, now) {
  const connected = link.phase === 'connected';
  const halted = connected ? (tab.news.halted ?? '') : '';
  const shared = tab.tab !== null;
  return {
    state: halted === 'paused' ? TEXTS.statePaused : halted === 'stopped' ? TEXTS.stateStopped : STATES[link.phase],
    kind: /** @type {Kind} */ (halted === 'paused' ? 'ask' : halted === 'stopped' || link.phase === 'refused' ? 'stop' : connected ? 'ok' : ''),
    pairing: link.phase === 'unpaired',
    tab: connected,
    note: tabNote(tab, page, now),
    canConnect: connected && !shared && canBeShared(page.url),
    canDisconnect: connected && shared,
    pause: connected && (shared || halted !== '') ? (halted ? TEXTS.resume : TEXTS.pause) : '',
    canStop: connected && shared && halted !== 'stopped',
    problem: problemOf(link, now),
    mode: connected ? (tab.news.mode ?? '') : '',
    canRetry: link.phase === 'away' || link.phase === 'refused',
    canSwitchOff: !['off', 'unpaired'].includes(link.phase),
    canSwitchOn: link.phase === 'off',
  };
}

/** @param {TabStatus} status @param {Page} page @param {number} now */
function tabNote({ tab, news }, page, now) {
  if (tab === null) return canBeShared(page.url) ? TEXTS.notShared : TEXTS.cannotShare;
  const agents = news.agents ?? [];
  const whose = tab.kind === 'agent' ? TEXTS.ofAgent : agents.length ? TEXTS.sharedWith(agents) : TEXTS.nobody;
  return `${whose} · ${TEXTS.lasting((now - tab.since) / 1000)}`;
}

/** @param {LinkStatus} link @param {number} now */
function problemOf(link, now) {
  if (link.phase === 'away') {
    const next = link.retryAt > now ? ` ${TEXTS.retryIn(Math.ceil((link.retryAt - now) / 1000))}` : '';
    return TEXTS.hubAway + next;
  }
  return ['refused', 'unpaired'].includes(link.phase) ? link.problem : '';
}
