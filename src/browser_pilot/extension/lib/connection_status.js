/** How the connection to the hub is shown in every page: one word with a colour, and the reason when there is none. Pure. */

import { getMessage } from './i18n.js';

/** @typedef {import('../offscreen/hub_connection.js').Phase} Phase */
/** @typedef {{ phase: Phase, problem: string, server: string, since: number, retryAt: number, received: number, sent: number }} ConnectionStatus */
/** @typedef {{ id: string, what: string, site: string, client: string, risk: string }} PendingApproval an approval request in brief */
/** @typedef {{ mode?: string, halted?: string, agents?: string[], approvals?: PendingApproval[], attach_blocked?: number[] }} HubState what the hub last reported: `ui.changed` */
/** @typedef {'ok' | 'ask' | 'stop' | ''} Kind the colour */

const STATES = {
  unpaired: 'stateUnpaired',
  off: 'stateOff',
  disconnected: 'stateDisconnected',
  connecting: 'stateConnecting',
  connected: 'stateConnected',
  rejected: 'stateRejected',
};

/** @param {Pick<ConnectionStatus, 'phase'>} connection @param {HubState} hub @returns {{ state: string, kind: Kind }} */
export function connectionState({ phase }, hub) {
  // The browser enforces Pause and Stop itself, also while the hub is offline.
  const isLost = phase === 'disconnected' || phase === 'connecting';
  if (phase !== 'connected' && !(isLost && hub.halted)) return { state: getMessage(STATES[phase]), kind: phase === 'rejected' ? 'stop' : '' };
  if (hub.halted === 'stopped') return { state: getMessage('stateStopped'), kind: 'stop' };
  if (hub.approvals?.length && phase === 'connected') return { state: getMessage('stateNeedsYou'), kind: 'ask' };
  if (hub.halted === 'paused') return { state: getMessage('statePaused'), kind: 'ask' };
  return { state: getMessage('stateConnected'), kind: 'ok' };
}

/** Why there is no connection, and when it is tried again. @param {ConnectionStatus} connection @param {number} now */
export function connectionProblem({ phase, problem, retryAt }, now) {
  if (phase === 'disconnected') {
    const next = retryAt > now ? ` ${getMessage('retryIn', Math.ceil((retryAt - now) / 1000))}` : '';
    return getMessage('hubUnreachable') + next;
  }
  return ['rejected', 'unpaired'].includes(phase) ? problem : '';
}
