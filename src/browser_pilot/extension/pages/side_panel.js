/** The side panel: everything that agents do and want, in one place. Asks the hub once a second, and at once when it has news. */

import { ActivitySection } from './activity_section.js';
import { showAgents } from './agents_list.js';
import { isHubsPage } from './hub_pages.js';
import { askHub, askWorker, currentTab, followTheme, linkStatus } from './page.js';
import { levelsOf, panelView } from './panel_view.js';
import { make, part, say, show } from './parts.js';
import { showHand, startPicking } from './pick_section.js';
import { QuestionsSection } from './questions_section.js';
import { fillTexts, text } from './texts.js';

const REFRESH_MS = 1_000;

const level = part('level', HTMLSelectElement);
const questions = new QuestionsSection(askHub, refresh);
const activity = new ActivitySection(askHub);
/** @type {import('./panel_view.js').PanelState | null} */
let state = null;
/** @type {chrome.tabs.Tab | undefined} */
let tab;
let view = panelView({ phase: 'greeting', problem: '', server: '', since: 0, retryAt: 0, down: 0, up: 0 }, null, 0);
let server = '';
let refreshing = false;

async function refresh() {
  if (refreshing) return;
  refreshing = true;
  try {
    tab = await currentTab();
    const link = await linkStatus();
    if (!link) return;
    state = link.phase === 'connected' ? await askHub('state', { url: tab?.url ?? '' }).catch(() => null) : null;
    server = link.server;
    view = panelView(link, state, Date.now());
    await render();
  } finally {
    refreshing = false;
  }
}

async function render() {
  say('state', view.state);
  part('state', HTMLElement).dataset.kind = view.kind;
  say('agents-line', view.agents);
  show('pause', view.pause !== '');
  say('pause', view.pause);
  show('stop', view.canStop);
  show('note', view.note !== '');
  say('note', view.note);
  show('problem', view.problem !== '');
  say('problem-words', view.problem);
  say('problem-act', view.remedyWords);
  for (const id of ['site-section', 'mode-section', 'agents-section', 'activity-section']) show(id, view.live);
  questions.render(state?.questions ?? []);
  if (!state) return;
  renderSite(state);
  await renderAgents(state);
  say('versions', `${state.name} · ${state.hub}`);
  await activity.render();
}

/** @param {import('./panel_view.js').PanelState} now */
function renderSite(now) {
  const site = now.site;
  say('site-title', site ? site.site : text('siteNone'));
  part('site-title', HTMLElement).title = site?.site ?? '';
  const driven = now.tabs.some((one) => one.id === tab?.id);
  say('share', text(driven ? 'unshareThis' : 'shareThis'));
  show('share', site !== null && !isHubsPage(tab?.url ?? '', server));
  show('level', site !== null);
  say('level-rule', site ? text('levelBecause', site.rule) : '');
  if (site && document.activeElement !== level) {
    const is = JSON.stringify(site);
    if (level.dataset.is !== is) {
      level.dataset.is = is;
      level.ariaLabel = text('level', site.site);
      level.replaceChildren(...levelsOf(site).map(({ value, words, chosen }) => {
        const option = make('option', { value }, words);
        option.selected = chosen;
        return option;
      }));
    }
  }
  for (const radio of document.querySelectorAll('input[name=mode]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === now.mode;
  }
  say('mode-hint', view.modeHint);
}

/** @param {import('./panel_view.js').PanelState} now */
async function renderAgents(now) {
  const tabs = await Promise.all(now.tabs.map(async (one) => {
    const found = await chrome.tabs.get(one.id).catch(() => undefined);
    return { ...one, title: found?.title ?? '', url: found?.url ?? '' };
  }));
  show('agents-none', now.agents.length === 0 && tabs.length === 0);
  const acts = { showTab, takeAway: (/** @type {number} */ id) => void askWorker('disconnect', { tab: id }).then(refresh) };
  showAgents(part('agents', HTMLElement), now.agents, { tabs, acts });
  showHand((id) => now.tabs.some((one) => one.id === id && one.agent !== ''));
}

/** @param {number} id */
async function showTab(id) {
  const found = await chrome.tabs.update(id, { active: true });
  if (found) await chrome.windows.update(found.windowId, { focused: true });
}

async function changeLevel() {
  const { value } = level;
  level.blur();
  await askHub('policy', { url: tab?.url ?? '', level: value }).catch((error) => say('level-rule', error.message));
  await refresh();
}

/** @param {string} word */
function word(word) {
  return askWorker('word', { word }).then(refresh);
}

async function remedy() {
  if (view.remedy === 'options') await chrome.runtime.openOptionsPage();
  else if (view.remedy === 'on') await askWorker('on');
  else await chrome.runtime.sendMessage({ to: 'link', ask: 'retry' });
  await refresh();
}

/** @param {string} id @param {() => unknown} act */
function onClick(id, act) {
  part(id, HTMLElement).addEventListener('click', act);
}

fillTexts(document);
void followTheme();
startPicking(currentTab);
onClick('pause', () => word(view.resumes ? 'resume' : 'pause'));
onClick('stop', () => word('stop'));
onClick('problem-act', remedy);
onClick('options', () => chrome.runtime.openOptionsPage());
onClick('share', () => askWorker(state?.tabs.some((one) => one.id === tab?.id) ? 'disconnect' : 'connect', { tab: tab?.id ?? -1 }).then(refresh));
level.addEventListener('change', changeLevel);
part('mode', HTMLElement).addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) void word(event.target.value);
});
chrome.storage.session.onChanged.addListener((changes) => {
  if (changes.news) void refresh();
});
chrome.tabs.onActivated.addListener(() => void refresh());
chrome.tabs.onUpdated.addListener((_, change) => {
  if (change.url || change.title) void refresh();
});
void refresh();
setInterval(refresh, REFRESH_MS);
