/** What the popup shows in each state. Pure. */

import { connectionProblem, connectionState } from '../lib/connection_status.js';
import { formatDuration, getMessage } from '../lib/i18n.js';
import { canBeShared, isHubPage } from '../lib/url_rules.js';

/** @typedef {import('../lib/connection_status.js').ConnectionStatus} ConnectionStatus */
/** @typedef {import('./messaging.js').TabStatus} TabStatus */
/** @typedef {{ title: string, url: string }} Page */

/** @param {ConnectionStatus} connection @param {TabStatus} status @param {Page} page @param {number} now */
export function popupView(connection, status, page, now) {
  const { phase, server, since } = connection;
  const { hub } = status;
  const connected = phase === 'connected';
  const halted = hub.halted ?? '';
  const pending = connected ? (hub.approvals?.length ?? 0) : 0;
  const shared = status.tab !== null;
  // Without a hub the user can still take the tab back, and stop agents until they resume.
  const isLost = (phase === 'disconnected' || phase === 'connecting') && (shared || halted !== '');
  const canHalt = connected || isLost;
  return {
    ...connectionState(connection, hub),
    pairing: phase === 'unpaired',
    tab: canHalt,
    note: tabNote(status, page, server, now),
    approvals: pending === 0 ? '' : pending === 1 ? getMessage('approvalsOne') : getMessage('approvalsMany', pending),
    connect: getMessage(status.wholeWindow ? 'connectWindow' : 'connect'),
    disconnect: getMessage(status.wholeWindow ? 'disconnectWindow' : 'disconnect'),
    canConnect: connected && !shared && canBeShared(page.url) && !isHubPage(page.url, server),
    canDisconnect: canHalt && shared,
    pause: canHalt && (shared || halted !== '') ? getMessage(halted ? 'resume' : 'pause') : '',
    canResume: halted !== '',
    canStop: canHalt && shared && halted !== 'stopped',
    problem: connectionProblem(connection, now),
    mode: connected ? (hub.mode ?? '') : '',
    connectedFor: connected && since ? getMessage('connectedFor', formatDuration((now - since) / 1000)) : '',
    canRetry: phase === 'disconnected' || phase === 'rejected',
    canTurnOff: !['off', 'unpaired'].includes(phase),
    canTurnOn: phase === 'off',
  };
}

/** @param {TabStatus} status @param {Page} page @param {string} server @param {number} now */
function tabNote({ tab, hub }, page, server, now) {
  if (tab === null && isHubPage(page.url, server)) return getMessage('hubPageNotShared');
  if (tab === null) return getMessage(canBeShared(page.url) ? 'notShared' : 'cannotShare');
  if (tab.id !== undefined && hub.attach_blocked?.includes(tab.id)) return getMessage('attachBlocked');
  return `${tab.kind === 'agent' ? getMessage('openedByAnAgent') : sharedWith(hub.agents ?? [])} · ${formatDuration((now - tab.since) / 1000)}`;
}

/** @param {string[]} agents */
function sharedWith(agents) {
  if (agents.length === 0) return getMessage('sharedWithNone');
  return agents.length === 1 ? getMessage('sharedWithOne', agents[0] ?? '') : getMessage('sharedWithMany', agents.length);
}
