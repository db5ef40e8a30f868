/** What the side panel shows in each state. Pure. */

import { connectionProblem, connectionState } from '../lib/connection_status.js';
import { getMessage } from '../lib/i18n.js';
import { modeHint } from '../lib/mode_switch.js';

/** @typedef {{ site: string, level: 'block' | 'look' | 'ask' | 'free', rule: string, own: boolean }} Site `own` when the user chose the level */
/**
 * @typedef {object} SidePanelState the hub's response to `state`
 * @property {string} hub
 * @property {string} name
 * @property {string} mode
 * @property {import('../lib/approval_card.js').ApprovalRequest[]} approvals
 * @property {Site | null} site
 * @property {import('../lib/agents_list.js').Agent[]} agents
 * @property {{ id: number, kind: string, agent: string, client_id: string }[]} tabs
 * @property {string[]} clients the names of connected clients of this kind of browser
 */

const LEVELS = { block: 'levelBlock', look: 'levelLook', ask: 'levelAsk', free: 'levelFree' };

/**
 * `halted` is what this browser enforces, whether the hub responds or not.
 * @param {import('../lib/connection_status.js').ConnectionStatus} connection @param {SidePanelState | null} state @param {string} halted @param {number} now
 */
export function sidePanelView(connection, state, halted, now) {
  const { phase } = connection;
  const live = phase === 'connected' && state !== null;
  const paired = ['connected', 'connecting', 'disconnected'].includes(phase);
  const approvals = live ? state.approvals.map(({ id, what, site, client_name, risk }) => ({ id, what, site, client: client_name, risk })) : [];
  const names = live ? [...new Set(state.agents.map((agent) => agent.name))] : [];
  return {
    live,
    ...connectionState(connection, { halted, approvals }),
    agents: live ? names.join(', ') || getMessage('noAgents') : '',
    pause: paired ? getMessage(halted ? 'resume' : 'pause') : '',
    canResume: halted !== '',
    canStop: paired && halted !== 'stopped',
    note: halted === 'stopped' ? getMessage('stoppedNote') : halted === 'paused' ? getMessage('pausedNote') : '',
    problem: phase === 'unpaired' ? getMessage('notPairedYet') : phase === 'off' ? getMessage('stateOff') : connectionProblem(connection, now),
    remedy: phase === 'unpaired' ? 'options' : phase === 'off' ? 'turn_on' : 'retry',
    remedyLabel: getMessage(phase === 'unpaired' ? 'pair' : phase === 'off' ? 'turnOn' : 'retry'),
    agentsNone: !live || state.agents.length || state.tabs.length ? '' : state.clients.length ? getMessage('agentsIdle', state.clients.join(', ')) : getMessage('agentsNone'),
    modeHint: live ? modeHint(state.mode) : '',
  };
}

/** The choices for what agents may do on a site. @param {Site} site @returns {{ value: string, label: string, selected: boolean }[]} */
export function levelOptions(site) {
  const levels = Object.entries(LEVELS).map(([value, name]) => ({ value, label: getMessage(name), selected: site.own && site.level === value }));
  const inherited = site.own ? '' : ` (${getMessage(LEVELS[site.level])})`;
  return [{ value: 'default', label: getMessage('levelDefault') + inherited, selected: !site.own }, ...levels];
}
