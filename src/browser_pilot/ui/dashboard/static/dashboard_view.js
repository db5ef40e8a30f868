/** What the dashboard shows for what is known: pure, so that every state can be tested. */

import { stateOf } from '../../extension/popup_view.js';
import { lasting, text } from '../../extension/texts.js';

/** @typedef {'starting' | 'live' | 'away' | 'signed out'} Phase */
/** @typedef {{ id: string, name: string, connected: boolean, version: string, tabs: number, paired_at: number, halted: '' | 'paused' | 'stopped' }} Browser */
/** @typedef {{ code: string, expires: number }} Code */
/**
 * @typedef {object} HubState what the hub tells
 * @property {string} hub
 * @property {number} uptime
 * @property {string} extension
 * @property {string[]} problems
 * @property {string} mode
 * @property {string[]} clients
 * @property {import('../../extension/approval_card.js').Question[]} questions
 * @property {import('../../extension/agents_list.js').Agent[]} agents
 * @property {Browser[]} browsers
 * @property {Code | null} pairing
 */

const PROBLEMS = { away: 'hubAwayHere', 'signed out': 'signedOut' };
const STATES = { starting: 'stateGreeting', away: 'stateAway', 'signed out': 'stateSignedOut' };
const LINK = { phase: /** @type {const} */ ('connected'), problem: '', server: '', since: 0, retryAt: 0, down: 0, up: 0 };

/** @param {Phase} phase @param {HubState | null} state */
export function dashboardView(phase, state) {
  const live = phase === 'live' && state !== null;
  const here = live ? state.browsers.filter((browser) => browser.connected) : [];
  const halted = haltedOf(here);
  const waiting = live ? state.questions.map(({ id, what, site, client_name, risk }) => ({ id, what, site, client: client_name, risk })) : [];
  const missing = phase === 'away' || phase === 'signed out';
  return {
    live,
    ...(live ? stateOf(LINK, { waiting }) : { state: text(STATES[phase === 'live' ? 'starting' : phase]), kind: missing ? 'stop' : '' }),
    title: waiting.length ? `(${waiting.length}) ${text('stateAsking')} · Browser Pilot` : 'Browser Pilot',
    agents: live ? state.clients.join(', ') || text('noAgents') : '',
    pause: here.length ? text(halted ? 'resume' : 'pause') : '',
    resumes: halted !== '',
    canStop: here.length > 0 && halted !== 'stopped',
    note: halted === 'stopped' ? text('stoppedHere') : halted === 'paused' ? text('pausedHere') : '',
    problem: missing ? text(PROBLEMS[phase]) : '',
    agentsNone: live && state.agents.length === 0 ? (state.clients.length ? text('agentsIdle', state.clients.join(', ')) : text('agentsNoneHere')) : '',
    versions: live ? text('hubLine', state.hub, lasting(state.uptime)) : '',
  };
}

/** What the user said last to the browsers that are here: the strictest of it. @param {Browser[]} browsers */
function haltedOf(browsers) {
  const said = browsers.map((browser) => browser.halted);
  return said.includes('stopped') ? 'stopped' : said.includes('paused') ? 'paused' : '';
}

/** How a browser is, in a word and a colour, and what else there is to say. @param {Browser} browser */
export function browserView(browser) {
  const kind = !browser.connected ? '' : browser.halted ? (browser.halted === 'stopped' ? 'stop' : 'ask') : 'ok';
  const words = { stopped: 'stateStopped', paused: 'statePaused', '': 'stateConnected' };
  const tabs = browser.tabs === 1 ? text('tabsOne') : text('tabsMany', browser.tabs);
  return {
    state: text(browser.connected ? words[browser.halted] : 'stateBrowserAway'),
    kind,
    about: browser.connected ? [browser.version.replace(/\/(\d+).*/, ' $1'), tabs].filter(Boolean).join(' · ') : text('browserAway'),
  };
}

/**
 * How the pairing stands: `before` are the browsers that were there when it began, null while nobody asked for one.
 * @param {Set<string> | null} before @param {HubState} state @param {number} now in seconds
 */
export function pairingView(before, state, now) {
  const newcomer = before === null ? undefined : state.browsers.find((browser) => !before.has(browser.id));
  if (newcomer) return { code: '', left: '', note: text('pairDone', newcomer.name), kind: 'ok', over: true };
  const { pairing } = state;
  if (pairing && pairing.expires > now) return { code: pairing.code, left: text('pairLeft', lasting(pairing.expires - now)), note: '', kind: '', over: false };
  if (before !== null) return { code: '', left: '', note: text('pairVoid'), kind: 'stop', over: true };
  return { code: '', left: '', note: '', kind: '', over: false };
}
