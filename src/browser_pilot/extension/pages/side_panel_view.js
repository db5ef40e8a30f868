/** What the side panel shows for what is known: pure, so that every state can be tested. */

import { problemOf, stateOf } from './popup_view.js';
import { text } from './texts.js';

/** @typedef {{ site: string, level: 'block' | 'look' | 'ask' | 'free', rule: string, own: boolean }} Site */
/**
 * @typedef {object} PanelState what the hub tells
 * @property {string} hub
 * @property {string} name
 * @property {string} mode
 * @property {'' | 'paused' | 'stopped'} halted
 * @property {import('./approval_card.js').Question[]} questions
 * @property {Site | null} site
 * @property {import('./agents_list.js').Agent[]} agents
 * @property {{ id: number, kind: string, agent: string }[]} tabs
 */

const LEVELS = { block: 'levelBlock', look: 'levelLook', ask: 'levelAsk', free: 'levelFree' };
const MODES = { auto: 'modeAutoHint', ask: 'modeAskHint', readonly: 'modeReadonlyHint' };

/** @param {import('./popup_view.js').LinkStatus} link @param {PanelState | null} state @param {number} now */
export function panelView(link, state, now) {
  const live = link.phase === 'connected' && state !== null;
  const halted = live ? state.halted : '';
  const waiting = live ? state.questions.map(({ id, what, site, client_name, risk }) => ({ id, what, site, client: client_name, risk })) : [];
  const names = live ? [...new Set(state.agents.map((agent) => agent.name))] : [];
  return {
    live,
    ...stateOf(link, { halted, waiting }),
    agents: live ? names.join(', ') || text('noAgents') : '',
    pause: live ? text(halted ? 'resume' : 'pause') : '',
    resumes: halted !== '',
    canStop: live && halted !== 'stopped',
    note: halted === 'stopped' ? text('stoppedNote') : halted === 'paused' ? text('pausedNote') : '',
    problem: link.phase === 'unpaired' ? text('pairFirst') : link.phase === 'off' ? text('stateOff') : problemOf(link, now),
    remedy: link.phase === 'unpaired' ? 'options' : link.phase === 'off' ? 'on' : 'retry',
    remedyWords: text(link.phase === 'unpaired' ? 'pair' : link.phase === 'off' ? 'on' : 'retry'),
    modeHint: live ? modeHint(state.mode) : '',
  };
}

/** What a mode means. @param {string} mode */
export function modeHint(mode) {
  return mode in MODES ? text(MODES[/** @type {keyof typeof MODES} */ (mode)]) : '';
}

/** The choices of the site's policy, and which of them holds. @param {Site} site @returns {{ value: string, words: string, chosen: boolean }[]} */
export function levelsOf(site) {
  const levels = Object.entries(LEVELS).map(([value, name]) => ({ value, words: text(name), chosen: site.own && site.level === value }));
  const inherited = { value: 'default', words: `${text('levelDefault')} (${text(LEVELS[site.level])})`, chosen: !site.own };
  return [site.own ? { ...inherited, words: text('levelDefault') } : inherited, ...levels];
}
