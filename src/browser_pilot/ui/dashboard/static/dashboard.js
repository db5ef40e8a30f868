/** The dashboard: everything that agents do and want, in one place. Asks the hub once a second, and at once when it has news. */

import { ActivitySection } from '../../extension/activity_section.js';
import { showAgents } from '../../extension/agents_list.js';
import { modeHint } from '../../extension/panel_view.js';
import { make, part, say, show } from '../../extension/parts.js';
import { QuestionsSection } from '../../extension/questions_section.js';
import { showBrowsers } from './browsers_list.js';
import { dashboardView } from './dashboard_view.js';
import { ask, followNews, leave, SignedOut } from './hub.js';
import { PairSection } from './pair_section.js';
import { chooseTheme, followTheme } from './theme.js';
import { speak } from './words.js';

const REFRESH_MS = 1_000;
const COMMAND = 'browser-pilot dashboard';

await speak();
const theme = part('theme', HTMLSelectElement);
const questions = new QuestionsSection(ask, refresh);
const activity = new ActivitySection(ask);
const pairing = new PairSection(ask, refresh);
/** @type {import('./dashboard_view.js').Phase} */
let phase = 'starting';
/** @type {import('./dashboard_view.js').HubState | null} */
let state = null;
let view = dashboardView(phase, state);
/** @type {Promise<void> | null} */
let refreshing = null;

/** Whoever waits for it sees what holds after the call, also when an earlier one is still under way. */
async function refresh() {
  while (refreshing) await refreshing;
  refreshing = look().finally(() => {
    refreshing = null;
  });
  await refreshing;
}

async function look() {
  try {
    state = await ask('state');
    phase = 'live';
  } catch (error) {
    state = null;
    phase = error instanceof SignedOut ? 'signed out' : 'away';
  }
  view = dashboardView(phase, state);
  render();
  if (view.live) await activity.render();
}

function render() {
  document.title = view.title;
  say('state', view.state);
  part('state', HTMLElement).dataset.kind = view.kind;
  say('agents-line', view.agents);
  show('halting', view.pause !== '');
  say('pause', view.pause);
  show('stop', view.canStop);
  show('note', view.note !== '');
  say('note', view.note);
  show('problem', view.problem !== '');
  say('problem-words', view.problem);
  say('problem-command', COMMAND);
  show('live', view.live);
  show('leave', view.live);
  say('versions', view.versions && `${view.versions} · ${location.host}`);
  questions.render(state?.questions ?? []);
  renderProblems(state?.problems ?? []);
  if (state) renderLive(state);
}

/** @param {string[]} problems */
function renderProblems(problems) {
  const list = part('problems', HTMLElement);
  const is = JSON.stringify(problems);
  if (list.dataset.is === is) return;
  list.dataset.is = is;
  list.replaceChildren(...problems.map((words) => make('li', { class: 'notice stop' }, words)));
  list.hidden = problems.length === 0;
}

/** @param {import('./dashboard_view.js').HubState} now */
function renderLive(now) {
  showAgents(part('agents', HTMLElement), now.agents, null);
  show('agents-none', view.agentsNone !== '');
  say('agents-none', view.agentsNone);
  showBrowsers(part('browsers', HTMLElement), now.browsers, {
    rename: (browser, name) => change('rename', { browser, name }),
    forget: (browser) => change('forget', { browser }),
  });
  show('browsers-none', now.browsers.length === 0);
  show('mode-section', now.browsers.length > 0);
  pairing.render(now, Date.now() / 1000);
  for (const radio of document.querySelectorAll('input[name=mode]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === now.mode;
  }
  say('mode-hint', modeHint(now.mode));
}

/** Do what the user wants of a browser, and say why not. @param {string} name @param {Record<string, unknown>} params */
async function change(name, params) {
  let problem = '';
  await ask(name, params).catch((error) => {
    problem = error.message;
  });
  show('browsers-problem', problem !== '');
  say('browsers-problem', problem);
  await refresh();
}

/** @param {string} word */
async function word(word) {
  await ask('word', { word }).catch(() => {});
  await refresh();
}

followTheme((chosen) => {
  theme.value = chosen;
});
theme.addEventListener('change', () => chooseTheme(theme.value));
part('pause', HTMLElement).addEventListener('click', () => void word(view.resumes ? 'resume' : 'pause'));
part('stop', HTMLElement).addEventListener('click', () => void word('stop'));
part('leave', HTMLElement).addEventListener('click', () => void leave().catch(() => {}).then(refresh));
part('mode', HTMLElement).addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) void word(event.target.value);
});
void refresh();
setInterval(() => {
  if (!refreshing) void refresh();
}, REFRESH_MS);
followNews(() => void refresh());
