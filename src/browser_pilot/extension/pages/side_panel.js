/** The side panel: approval requests, agents, activity and the policy of the site. Polls the hub once a second, and when it reports a change. */

import { ActivitySection } from '../lib/activity_section.js';
import { renderAgents } from '../lib/agents_list.js';
import { ApprovalsSection } from '../lib/approvals_section.js';
import { byId, createElement, onClick, setText, setVisible } from '../lib/dom.js';
import { getMessage, localizePage } from '../lib/i18n.js';
import { onModeChange, showMode } from '../lib/mode_switch.js';
import { StatusHeader } from '../lib/status_header.js';
import { extensionTheme, followTheme } from '../lib/theme.js';
import { isHubPage } from '../lib/url_rules.js';
import { connectionStatus, currentTab, requestHub, requestWorker, retryConnection } from './messaging.js';
import { showGiveButton, startPicker } from './picker_section.js';
import { levelOptions, sidePanelView } from './side_panel_view.js';

const REFRESH_MS = 1_000;

const level = byId('level', HTMLSelectElement);
const header = new StatusHeader(command);
const approvals = new ApprovalsSection(requestHub, refresh);
const activity = new ActivitySection(requestHub);
/** @type {import('./side_panel_view.js').SidePanelState | null} */
let state = null;
/** @type {chrome.tabs.Tab | undefined} */
let tab;
let view = sidePanelView({ phase: 'connecting', problem: '', server: '', since: 0, retryAt: 0, received: 0, sent: 0 }, null, '', 0);
let server = '';
let refreshing = false;

async function refresh() {
  // Pause and Stop are shown at once, also while the hub does not respond.
  const connection = await renderStatus();
  if (refreshing || !connection) return;
  refreshing = true;
  try {
    tab = await currentTab();
    state = connection.phase === 'connected' ? await requestHub('state', { url: tab?.url ?? '' }).catch(() => null) : null;
    server = connection.server;
    await renderStatus();
    await render();
  } finally {
    refreshing = false;
  }
}

async function renderStatus() {
  const [connection, worker] = await Promise.all([connectionStatus(), requestWorker('status')]);
  if (!connection || !worker) return undefined;
  view = sidePanelView(connection, state, worker.hub.halted ?? '', Date.now());
  header.render(view);
  return connection;
}

async function render() {
  setText('problem-action', view.remedyLabel);
  for (const id of ['site-section', 'mode-section', 'agents-section', 'activity-section']) setVisible(id, view.live);
  approvals.render(state?.approvals ?? []);
  if (!state) return;
  renderSite(state);
  showMode(state.mode);
  setText('mode-hint', view.modeHint);
  await renderTabs(state);
  setText('versions', `${state.name} · ${state.hub}`);
  await activity.render();
}

function isControlled() {
  return state?.tabs.some((one) => one.id === tab?.id) ?? false;
}

/** @param {import('./side_panel_view.js').SidePanelState} current */
function renderSite({ site }) {
  setText('site-title', site ? site.site : getMessage('siteNone'));
  byId('site-title', HTMLElement).title = site?.site ?? '';
  setText('share', getMessage(isControlled() ? 'disconnect' : 'connect'));
  setVisible('share', site !== null && !isHubPage(tab?.url ?? '', server));
  setVisible('level', site !== null);
  setText('level-rule', site ? getMessage('byRule', site.rule) : '');
  if (!site || document.activeElement === level) return;
  const version = JSON.stringify(site);
  if (level.dataset.version === version) return;
  level.dataset.version = version;
  level.ariaLabel = getMessage('level', site.site);
  level.replaceChildren(...levelOptions(site).map(({ value, label, selected }) => {
    const option = createElement('option', { value }, label);
    option.selected = selected;
    return option;
  }));
}

/** @param {import('./side_panel_view.js').SidePanelState} current */
async function renderTabs({ agents, tabs }) {
  const titled = await Promise.all(tabs.map(async (one) => {
    const found = await chrome.tabs.get(one.id).catch(() => undefined);
    return { ...one, title: found?.title ?? '', url: found?.url ?? '' };
  }));
  setVisible('agents-none', view.agentsNone !== '');
  setText('agents-none', view.agentsNone);
  const actions = { show: activateTab, disconnect: (/** @type {number} */ id) => void requestWorker('disconnect', { tab: id }).then(refresh) };
  renderAgents(byId('agents', HTMLElement), agents, { tabs: titled, actions });
  showGiveButton((id) => tabs.some((one) => one.id === id && one.agent !== ''));
}

/** @param {number} id */
async function activateTab(id) {
  const activated = await chrome.tabs.update(id, { active: true });
  if (activated) await chrome.windows.update(activated.windowId, { focused: true });
}

async function changeLevel() {
  const { value } = level;
  level.blur();
  await requestHub('set_site_level', { url: tab?.url ?? '', level: value }).catch((error) => setText('level-rule', error.message));
  await refresh();
}

/** @param {string} name */
function command(name) {
  return requestWorker('command', { command: name }).then(refresh);
}

async function applyRemedy() {
  if (view.remedy === 'options') await chrome.runtime.openOptionsPage();
  else if (view.remedy === 'turn_on') await requestWorker('turn_on');
  else await retryConnection();
  await refresh();
}

localizePage(document);
void followTheme(extensionTheme);
startPicker(currentTab);
onClick('problem-action', applyRemedy);
onClick('options', () => chrome.runtime.openOptionsPage());
onClick('share', () => requestWorker(isControlled() ? 'disconnect' : 'connect', { tab: tab?.id ?? -1 }).then(refresh));
level.addEventListener('change', changeLevel);
onModeChange(command);
chrome.storage.session.onChanged.addListener((changes) => {
  if (changes.hub) void refresh();
});
chrome.tabs.onActivated.addListener(() => void refresh());
chrome.tabs.onUpdated.addListener((_, change) => {
  if (change.url || change.title) void refresh();
});
void refresh();
setInterval(refresh, REFRESH_MS);
