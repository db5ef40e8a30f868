/** The dashboard: approval requests, agents, browsers and activity. Polls the hub once a second, and when it reports a change. */

import { ActivitySection } from '../../../extension/lib/activity_section.js';
import { renderAgents } from '../../../extension/lib/agents_list.js';
import { ApprovalsSection } from '../../../extension/lib/approvals_section.js';
import { byId, createElement, onClick, setText, setVisible } from '../../../extension/lib/dom.js';
import { modeHint, onModeChange, showMode } from '../../../extension/lib/mode_switch.js';
import { StatusHeader } from '../../../extension/lib/status_header.js';
import { chooseTheme, dashboardTheme, followTheme } from '../../../extension/lib/theme.js';
import { renderBrowsers } from './browsers_list.js';
import { dashboardView } from './dashboard_view.js';
import { listenForChanges, request, SignedOut, signOut } from './hub_client.js';
import { loadMessages } from './i18n.js';
import { PairingSection } from './pairing_section.js';

const REFRESH_MS = 1_000;
const COMMAND = 'browser-pilot dashboard';

await loadMessages();
const theme = byId('theme', HTMLSelectElement);
const header = new StatusHeader(command);
const approvals = new ApprovalsSection(request, refresh);
const activity = new ActivitySection(request);
const pairing = new PairingSection(request, refresh);
/** @type {import('./dashboard_view.js').Phase} */
let phase = 'loading';
/** @type {import('./dashboard_view.js').DashboardState | null} */
let state = null;
let view = dashboardView(phase, state);
/** @type {Promise<void> | null} */
let refreshing = null;

/** Starts after a refresh that is already running, so that the caller sees the state after the call. */
async function refresh() {
  while (refreshing) await refreshing;
  refreshing = loadState().finally(() => {
    refreshing = null;
  });
  await refreshing;
}

async function loadState() {
  try {
    state = await request('state');
    phase = 'live';
  } catch (error) {
    state = null;
    phase = error instanceof SignedOut ? 'signed out' : 'unreachable';
  }
  view = dashboardView(phase, state);
  render();
  if (view.live) await activity.render();
}

function render() {
  document.title = view.title;
  header.render(view);
  setVisible('halt-buttons', view.pause !== '');
  setText('problem-command', COMMAND);
  setVisible('live', view.live);
  setVisible('sign-out', view.live);
  setText('versions', view.versions && `${view.versions} · ${location.host}`);
  approvals.render(state?.approvals ?? []);
  renderProblems(state?.problems ?? []);
  if (state) renderState(state);
}

/** @param {string[]} problems */
function renderProblems(problems) {
  const list = byId('problems', HTMLElement);
  const version = JSON.stringify(problems);
  if (list.dataset.version === version) return;
  list.dataset.version = version;
  list.replaceChildren(...problems.map((problem) => createElement('li', { class: 'notice stop' }, problem)));
  list.hidden = problems.length === 0;
}

/** @param {import('./dashboard_view.js').DashboardState} current */
function renderState(current) {
  renderAgents(byId('agents', HTMLElement), current.agents, null);
  setVisible('agents-none', view.agentsNone !== '');
  setText('agents-none', view.agentsNone);
  renderBrowsers(byId('browsers', HTMLElement), current.browsers, {
    rename: (browser, name) => changeBrowser('rename', { browser, name }),
    forget: (browser) => changeBrowser('forget', { browser }),
  });
  setVisible('browsers-none', current.browsers.length === 0);
  setVisible('mode-section', current.browsers.length > 0);
  pairing.render(current, Date.now() / 1000);
  showMode(current.mode);
  setText('mode-hint', modeHint(current.mode));
}

/** @param {string} name @param {Record<string, unknown>} params */
async function changeBrowser(name, params) {
  let problem = '';
  await request(name, params).catch((error) => {
    problem = error.message;
  });
  setVisible('browsers-problem', problem !== '');
  setText('browsers-problem', problem);
  await refresh();
}

/** @param {string} name */
async function command(name) {
  await request('command', { command: name }).catch(() => {});
  await refresh();
}

void followTheme(dashboardTheme, (chosen) => {
  theme.value = chosen;
});
theme.addEventListener('change', () => chooseTheme(dashboardTheme, theme.value));
onClick('sign-out', () => signOut().catch(() => {}).then(refresh));
onModeChange(command);
void refresh();
setInterval(() => {
  if (!refreshing) void refresh();
}, REFRESH_MS);
listenForChanges(() => void refresh());
