/** What the dashboard shows in each state. Pure. */

import { connectionState } from '../../../extension/lib/connection_status.js';
import { formatDuration, getMessage } from '../../../extension/lib/i18n.js';

/** @typedef {'loading' | 'live' | 'unreachable' | 'signed out'} Phase */
/** @typedef {{ id: string, name: string, connected: boolean, version: string, tabs: number, paired_at: number, halted: '' | 'paused' | 'stopped' }} Browser */
/** @typedef {{ code: string, expires: number }} PairingCode */
/**
 * @typedef {object} DashboardState the hub's response to `state`
 * @property {string} hub
 * @property {number} uptime
 * @property {string} extension
 * @property {string[]} problems
 * @property {string} mode
 * @property {string[]} clients
 * @property {import('../../../extension/lib/approval_card.js').ApprovalRequest[]} approvals
 * @property {import('../../../extension/lib/agents_list.js').Agent[]} agents
 * @property {Browser[]} browsers
 * @property {PairingCode | null} pairing
 */

const PROBLEMS = { unreachable: 'hubNotResponding', 'signed out': 'signedOut' };
const STATES = { loading: 'stateConnecting', unreachable: 'stateDisconnected', 'signed out': 'stateSignedOut' };

/** @param {Phase} phase @param {DashboardState | null} state */
export function dashboardView(phase, state) {
  const live = phase === 'live' && state !== null;
  const connected = live ? state.browsers.filter((browser) => browser.connected) : [];
  const halted = haltedOf(connected);
  const approvals = live ? state.approvals.map(({ id, what, site, client_name, risk }) => ({ id, what, site, client: client_name, risk })) : [];
  const failed = phase === 'unreachable' || phase === 'signed out';
  return {
    live,
    ...(live ? connectionState({ phase: 'connected' }, { approvals }) : { state: getMessage(STATES[phase === 'live' ? 'loading' : phase]), kind: failed ? 'stop' : '' }),
    title: approvals.length ? `(${approvals.length}) ${getMessage('stateNeedsYou')} · Browser Pilot` : 'Browser Pilot',
    agents: live ? state.clients.join(', ') || getMessage('noAgents') : '',
    pause: connected.length ? getMessage(halted ? 'resume' : 'pause') : '',
    canResume: halted !== '',
    canStop: connected.length > 0 && halted !== 'stopped',
    note: halted === 'stopped' ? getMessage('browsersStopped') : halted === 'paused' ? getMessage('browsersPaused') : '',
    problem: failed ? getMessage(PROBLEMS[phase]) : '',
    agentsNone: live && state.agents.length === 0 ? (state.clients.length ? getMessage('agentsIdle', state.clients.join(', ')) : getMessage('agentsNotConnected')) : '',
    versions: live ? getMessage('hubVersion', state.hub, formatDuration(state.uptime)) : '',
  };
}

/** The strictest halt of the connected browsers. @param {Browser[]} browsers */
function haltedOf(browsers) {
  const halts = browsers.map((browser) => browser.halted);
  return halts.includes('stopped') ? 'stopped' : halts.includes('paused') ? 'paused' : '';
}

/** The state of a browser in a word and a colour, with details. @param {Browser} browser */
export function browserView(browser) {
  const kind = !browser.connected ? '' : browser.halted ? (browser.halted === 'stopped' ? 'stop' : 'ask') : 'ok';
  const states = { stopped: 'stateStopped', paused: 'statePaused', '': 'stateConnected' };
  const tabs = browser.tabs === 1 ? getMessage('tabsOne') : getMessage('tabsMany', browser.tabs);
  return {
    state: getMessage(browser.connected ? states[browser.halted] : 'stateNotConnected'),
    kind,
    details: browser.connected ? [browser.version.replace(/\/(\d+).*/, ' $1'), tabs].filter(Boolean).join(' · ') : getMessage('browserNotConnected'),
  };
}

/**
 * The state of a pairing. `before` are the browsers that were paired when it started, null while there is none.
 * @param {Set<string> | null} before @param {DashboardState} state @param {number} now in seconds
 */
export function pairingView(before, state, now) {
  const added = before === null ? undefined : state.browsers.find((browser) => !before.has(browser.id));
  if (added) return { code: '', expiry: '', note: getMessage('pairDone', added.name), kind: 'ok', done: true };
  const { pairing } = state;
  if (pairing && pairing.expires > now) return { code: pairing.code, expiry: getMessage('pairExpiry', formatDuration(pairing.expires - now)), note: '', kind: '', done: false };
  if (before !== null) return { code: '', expiry: '', note: getMessage('pairCodeInvalid'), kind: 'stop', done: true };
  return { code: '', expiry: '', note: '', kind: '', done: false };
}
