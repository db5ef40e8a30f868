/** Who is at work, how many steps they have used, and in which tabs. Knows nothing of chrome.*. */

import { make } from './parts.js';
import { text } from './texts.js';

/** @typedef {{ name: string, session: string, engine: string, steps: number, budget: number | null, tabs: { id: string, url: string }[] }} Agent */
/** @typedef {{ id: number, kind: string, agent: string, title: string, url: string }} Tab */
/** @typedef {{ showTab: (id: number) => void, takeAway: (id: number) => void }} Acts */
/** @typedef {{ tabs: Tab[], acts: Acts }} Here the tabs of the browser that the list is shown in, where that is the user's own */

/** @param {HTMLElement} list @param {Agent[]} agents @param {Here | null} here */
export function showAgents(list, agents, here) {
  const is = JSON.stringify([agents, here?.tabs]);
  if (list.dataset.is === is) return;
  list.dataset.is = is;
  const names = new Set(agents.map((agent) => agent.name));
  const lines = agents.map((agent) => agentLine(agent, here));
  const free = here?.tabs.filter((tab) => !names.has(tab.agent)) ?? [];
  if (here && free.length) lines.push(make('li', { class: 'agent' }, make('span', { class: 'muted' }, text('forNext')), ...free.map((tab) => tabLine(tab, here.acts))));
  list.replaceChildren(...lines);
}

/** @param {Agent} agent @param {Here | null} here */
function agentLine(agent, here) {
  const own = agent.engine === 'own';
  const line = make('li', { class: 'agent' },
    make('div', { class: 'row between' }, make('strong', { class: 'cut' }, agent.name),
      make('span', { class: 'muted small' }, text(own ? (here ? 'ownBrowser' : 'usersBrowser') : 'managedBrowser'))));
  const words = agent.budget ? text('stepsOf', agent.steps, agent.budget) : text('stepsNoLimit', agent.steps);
  line.append(make('span', { class: 'muted small' }, words));
  if (agent.budget) {
    const share = Math.min(1, agent.steps / agent.budget);
    const bar = make('div', { class: 'bar', role: 'meter', 'aria-label': text('steps'), 'aria-valuenow': String(agent.steps), 'aria-valuemin': '0', 'aria-valuemax': String(agent.budget) }, make('i'));
    if (share >= 0.9) bar.dataset.full = '';
    if (bar.firstElementChild instanceof HTMLElement) bar.firstElementChild.style.width = `${share * 100}%`;
    line.append(bar);
  }
  if (own && here) line.append(...here.tabs.filter((tab) => tab.agent === agent.name).map((tab) => tabLine(tab, here.acts)));
  else line.append(...agent.tabs.map((tab) => make('p', { class: 'address cut', title: tab.url }, tab.url)));
  return line;
}

/** @param {Tab} tab @param {Acts} acts */
function tabLine(tab, acts) {
  const title = tab.title || tab.url;
  const seeIt = make('button', { class: 'quiet', 'aria-label': text('showTab', title) }, text('showMe'));
  const take = make('button', { class: 'quiet', 'aria-label': text('takeTabAway', title) }, text('takeAway'));
  seeIt.addEventListener('click', () => acts.showTab(tab.id));
  take.addEventListener('click', () => acts.takeAway(tab.id));
  return make('div', { class: 'tab', title: text(tab.kind === 'shared' ? 'sharedByYou' : 'openedByAgent') },
    make('span', { class: 'cut grow' }, title), seeIt, take);
}
