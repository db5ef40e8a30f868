/** The popup: shows how things stand, twice a second, and passes on what the user wants. */

import { askWorker, currentTab, followTheme, linkStatus } from './page.js';
import { part, say, show } from './parts.js';
import { popupView } from './popup_view.js';
import { fillTexts, text } from './texts.js';

const REFRESH_MS = 500;

const server = part('server', HTMLInputElement);
const code = part('code', HTMLInputElement);
const pairButton = part('pair', HTMLButtonElement);
let pairing = false;
let resumes = false;
/** A server that the user typed and that is not in use yet. */
let typedServer = '';
/** The window that the panel opens in; known beforehand, because a panel opens only right within a click. @type {number} */
let windowId = chrome.windows.WINDOW_ID_CURRENT;

/** @param {string} ask @param {Record<string, unknown>} [more] */
async function tell(ask, more = {}) {
  const tab = await currentTab();
  await askWorker(ask, { tab: tab?.id ?? -1, ...more });
  await refresh();
}

async function refresh() {
  const tab = await currentTab();
  if (tab) windowId = tab.windowId;
  const about = await askWorker('status', { tab: tab?.id ?? -1 });
  const link = await linkStatus();
  if (!about || !link) return;
  const page = { title: tab?.title ?? '', url: tab?.url ?? '' };
  const view = popupView(link, about, page, Date.now());
  say('state', view.state);
  part('state', HTMLElement).dataset.kind = view.kind;
  show('pairing', view.pairing || pairing);
  show('waiting', view.waiting !== '');
  say('waiting-words', view.waiting);
  show('tab', view.tab);
  say('tab-title', page.title);
  say('tab-address', page.url);
  say('tab-note', view.note);
  say('connect', view.connect);
  say('disconnect', view.disconnect);
  show('connect', view.canConnect);
  show('disconnect', view.canDisconnect);
  show('pause', view.pause !== '');
  say('pause', view.pause);
  resumes = view.resumes;
  show('stop', view.canStop);
  show('problem', view.problem !== '');
  say('problem', view.problem);
  show('mode-section', view.mode !== '');
  for (const radio of document.querySelectorAll('input[name=mode]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === view.mode;
  }
  show('retry', view.canRetry);
  show('off', view.canSwitchOff);
  show('on', view.canSwitchOn);
  say('since', view.since);
  if (typedServer === link.server) typedServer = '';
  if (document.activeElement !== server && !typedServer) server.value = link.server || server.value;
  say('counts', text('counts', link.down, link.up));
  part('counts', HTMLElement).ariaLabel = text('countsLabel', link.down, link.up);
}

/** @param {SubmitEvent} event */
async function pair(event) {
  event.preventDefault();
  pairing = true;
  pairButton.disabled = true;
  pairButton.textContent = text('pairing');
  await chrome.runtime.sendMessage({ to: 'link', ask: 'pair', code: code.value, server: server.value });
  pairing = false;
  pairButton.disabled = false;
  pairButton.textContent = text('pair');
  await refresh();
}

function openPanel() {
  void chrome.sidePanel.open({ windowId }).then(() => window.close());
}

/** @param {string} id @param {() => unknown} act */
function onClick(id, act) {
  part(id, HTMLElement).addEventListener('click', act);
}

fillTexts(document);
void followTheme();
part('pair-form', HTMLFormElement).addEventListener('submit', pair);
onClick('connect', () => tell('connect'));
onClick('disconnect', () => tell('disconnect'));
onClick('pause', () => tell('word', { word: resumes ? 'resume' : 'pause' }));
onClick('stop', () => tell('word', { word: 'stop' }));
onClick('off', () => tell('off'));
onClick('on', () => tell('on'));
onClick('retry', () => chrome.runtime.sendMessage({ to: 'link', ask: 'retry' }).then(refresh));
onClick('panel', openPanel);
onClick('answer', openPanel);
onClick('options', () => chrome.runtime.openOptionsPage());
part('mode', HTMLElement).addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) void tell('word', { word: event.target.value });
});
server.addEventListener('input', () => {
  typedServer = server.value.trim();
});
server.addEventListener('change', () => tell('server', { server: server.value.trim() }));
void chrome.runtime.sendMessage({ to: 'link', ask: 'retry' }).catch(() => {});
void refresh();
setInterval(refresh, REFRESH_MS);
