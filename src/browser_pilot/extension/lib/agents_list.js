/** The agents with their steps and tabs. Uses no chrome.*. */

import { createElement } from './dom.js';
import { getMessage } from './i18n.js';

/** @typedef {{ name: string, session: string, client_id: string | null, engine: string, steps: number, budget: number | null, tabs: { id: string, url: string }[] }} Agent */
/** @typedef {{ id: number, kind: string, agent: string, client_id: string, title: string, url: string }} Tab */
/** @typedef {{ show: (id: number) => void, disconnect: (id: number) => void }} TabActions */
/** @typedef {{ tabs: Tab[], actions: TabActions }} LocalBrowser the controlled tabs of the browser that shows the list, when it is the user's own */

/** @param {HTMLElement} list @param {Agent[]} agents @param {LocalBrowser | null} browser */
export function renderAgents(list, agents, browser) {
  const version = JSON.stringify([agents, browser?.tabs]);
  if (list.dataset.version === version) return;
  list.dataset.version = version;
  const owners = new Set(agents.map((agent) => agent.client_id));
  const rows = agents.map((agent) => createAgent(agent, browser));
  const unused = browser?.tabs.filter((tab) => !owners.has(tab.client_id)) ?? [];
  if (browser && unused.length) {
    rows.push(createElement('li', { class: 'agent' }, createElement('span', { class: 'muted' }, getMessage('tabsForNextAgent')), ...unused.map((tab) => createTab(tab, browser.actions))));
  }
  list.replaceChildren(...rows);
}

/** @param {Agent} agent @param {LocalBrowser | null} browser */
function createAgent(agent, browser) {
  const own = agent.engine === 'own';
  const row = createElement('li', { class: 'agent' },
    createElement('div', { class: 'row between' }, createElement('strong', { class: 'truncate' }, agent.name),
      createElement('span', { class: 'muted small' }, getMessage(own ? (browser ? 'thisBrowser' : 'ownBrowser') : 'managedBrowser'))));
  const steps = agent.budget ? getMessage('stepsOf', agent.steps, agent.budget) : getMessage('stepsNoLimit', agent.steps);
  row.append(createElement('span', { class: 'muted small' }, steps));
  if (agent.budget) {
    const used = Math.min(1, agent.steps / agent.budget);
    const bar = createElement('div', { class: 'bar', role: 'meter', 'aria-label': getMessage('steps'), 'aria-valuenow': String(agent.steps), 'aria-valuemin': '0', 'aria-valuemax': String(agent.budget) }, createElement('i'));
    if (used >= 0.9) bar.dataset.full = '';
    if (bar.firstElementChild instanceof HTMLElement) bar.firstElementChild.style.width = `${used * 100}%`;
    row.append(bar);
  }
  if (own && browser) row.append(...browser.tabs.filter((tab) => tab.client_id === agent.client_id).map((tab) => createTab(tab, browser.actions)));
  else row.append(...agent.tabs.map((tab) => createElement('p', { class: 'address truncate', title: tab.url }, tab.url)));
  return row;
}

/** @param {Tab} tab @param {TabActions} actions */
function createTab(tab, actions) {
  const title = tab.title || tab.url;
  const show = createElement('button', { class: 'quiet', 'aria-label': getMessage('showTabLabel', title) }, getMessage('showTab'));
  const disconnect = createElement('button', { class: 'quiet', 'aria-label': getMessage('disconnectTabLabel', title) }, getMessage('disconnectTab'));
  show.addEventListener('click', () => actions.show(tab.id));
  disconnect.addEventListener('click', () => actions.disconnect(tab.id));
  return createElement('div', { class: 'tab', title: getMessage(tab.kind === 'shared' ? 'sharedByYou' : 'openedByAgent') },
    createElement('span', { class: 'truncate grow' }, title), show, disconnect);
}
