/** What the popup shows for what is known: pure, so that every state can be tested. */

import { canBeShared, isHubsPage } from './hub_pages.js';
import { lasting, text } from './texts.js';

/** @typedef {{ phase: import('./link.js').Phase, problem: string, server: string, since: number, retryAt: number, down: number, up: number }} LinkStatus */
/** @typedef {{ id: string, what: string, site: string, client: string, risk: string }} Waiting */
/** @typedef {{ mode?: string, halted?: string, agents?: string[], waiting?: Waiting[], barred?: number[] }} News */
/** @typedef {{ tab: { id?: number, kind: string, since: number } | null, news: News, wholeWindow?: boolean }} TabStatus */
/** @typedef {{ title: string, url: string }} Page */
/** @typedef {'ok' | 'ask' | 'stop' | ''} Kind */

const STATES = {
  unpaired: 'stateUnpaired',
  off: 'stateOff',
  away: 'stateAway',
  greeting: 'stateGreeting',
  connected: 'stateConnected',
  refused: 'stateRefused',
};

/** The word for how things stand, and its colour. @param {LinkStatus} link @param {News} news @returns {{ state: string, kind: Kind }} */
export function stateOf(link, news) {
  if (link.phase !== 'connected') return { state: text(STATES[link.phase]), kind: link.phase === 'refused' ? 'stop' : '' };
  if (news.halted === 'stopped') return { state: text('stateStopped'), kind: 'stop' };
  if (news.waiting?.length) return { state: text('stateAsking'), kind: 'ask' };
  if (news.halted === 'paused') return { state: text('statePaused'), kind: 'ask' };
  return { state: text('stateConnected'), kind: 'ok' };
}

/** @param {LinkStatus} link @param {TabStatus} tab @param {Page} page @param {number} now */
export function popupView(link, tab, page, now) {
  const connected = link.phase === 'connected';
  const halted = connected ? (tab.news.halted ?? '') : '';
  const waiting = connected ? (tab.news.waiting?.length ?? 0) : 0;
  const shared = tab.tab !== null;
  return {
    ...stateOf(link, tab.news),
    pairing: link.phase === 'unpaired',
    tab: connected,
    note: tabNote(tab, page, link.server, now),
    waiting: waiting === 0 ? '' : waiting === 1 ? text('waitingOne') : text('waitingMany', waiting),
    connect: text(tab.wholeWindow ? 'connectWindow' : 'connect'),
    disconnect: text(tab.wholeWindow ? 'disconnectWindow' : 'disconnect'),
    canConnect: connected && !shared && canBeShared(page.url) && !isHubsPage(page.url, link.server),
    canDisconnect: connected && shared,
    pause: connected && (shared || halted !== '') ? text(halted ? 'resume' : 'pause') : '',
    resumes: halted !== '',
    canStop: connected && shared && halted !== 'stopped',
    problem: problemOf(link, now),
    mode: connected ? (tab.news.mode ?? '') : '',
    since: connected && link.since ? text('connectedSince', lasting((now - link.since) / 1000)) : '',
    canRetry: link.phase === 'away' || link.phase === 'refused',
    canSwitchOff: !['off', 'unpaired'].includes(link.phase),
    canSwitchOn: link.phase === 'off',
  };
}

/** @param {TabStatus} status @param {Page} page @param {string} server @param {number} now */
function tabNote({ tab, news }, page, server, now) {
  if (tab === null && isHubsPage(page.url, server)) return text('cannotShareHub');
  if (tab === null) return text(canBeShared(page.url) ? 'notShared' : 'cannotShare');
  if (tab.id !== undefined && news.barred?.includes(tab.id)) return text('barred');
  const agents = news.agents ?? [];
  return `${tab.kind === 'agent' ? text('ofAgent') : sharedWith(agents)} · ${lasting((now - tab.since) / 1000)}`;
}

/** @param {string[]} agents */
function sharedWith(agents) {
  if (agents.length === 0) return text('nobody');
  return agents.length === 1 ? text('sharedWithOne', agents[0] ?? '') : text('sharedWithMany', agents.length);
}

/** @param {LinkStatus} link @param {number} now */
export function problemOf(link, now) {
  if (link.phase === 'away') {
    const next = link.retryAt > now ? ` ${text('retryIn', Math.ceil((link.retryAt - now) / 1000))}` : '';
    return text('hubAway') + next;
  }
  return ['refused', 'unpaired'].includes(link.phase) ? link.problem : '';
}
