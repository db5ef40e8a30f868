/** The popup: shows the connection and the current tab, twice a second, and sends the user's commands. */

import { byId, onClick, setText, setVisible } from '../lib/dom.js';
import { getMessage, localizePage } from '../lib/i18n.js';
import { onModeChange, showMode } from '../lib/mode_switch.js';
import { showState } from '../lib/status_header.js';
import { extensionTheme, followTheme } from '../lib/theme.js';
import { connectionStatus, currentTab, pair, requestWorker, retryConnection } from './messaging.js';
import { popupView } from './popup_view.js';

const REFRESH_MS = 500;

const server = byId('server', HTMLInputElement);
const code = byId('code', HTMLInputElement);
const pairButton = byId('pair', HTMLButtonElement);
let pairing = false;
let canResume = false;
/** A server that the user typed and that is not in use yet. */
let typedServer = '';
/** The window for the side panel; known in advance, because Chrome opens the panel only directly within a click. @type {number} */
let windowId = chrome.windows.WINDOW_ID_CURRENT;

/** @param {string} type @param {Record<string, unknown>} [more] */
async function request(type, more = {}) {
  const tab = await currentTab();
  await requestWorker(type, { tab: tab?.id ?? -1, ...more });
  await refresh();
}

async function refresh() {
  const tab = await currentTab();
  if (tab) windowId = tab.windowId;
  const status = await requestWorker('status', { tab: tab?.id ?? -1 });
  const connection = await connectionStatus();
  if (!status || !connection) return;
  const page = { title: tab?.title ?? '', url: tab?.url ?? '' };
  const view = popupView(connection, status, page, Date.now());
  showState(view);
  setVisible('pairing', view.pairing || pairing);
  setVisible('approvals', view.approvals !== '');
  const { notify, notifyOffered } = await chrome.storage.local.get({ notify: false, notifyOffered: false });
  setVisible('notify-offer', view.tab && !notify && !notifyOffered);
  setText('approvals-text', view.approvals);
  setVisible('tab', view.tab);
  setText('tab-title', page.title);
  setText('tab-url', page.url);
  setText('tab-note', view.note);
  setText('connect', view.connect);
  setText('disconnect', view.disconnect);
  setVisible('connect', view.canConnect);
  setVisible('disconnect', view.canDisconnect);
  setVisible('pause', view.pause !== '');
  setText('pause', view.pause);
  canResume = view.canResume;
  setVisible('stop', view.canStop);
  setVisible('problem', view.problem !== '');
  setText('problem', view.problem);
  setVisible('mode-section', view.mode !== '');
  showMode(view.mode);
  setVisible('retry', view.canRetry);
  setVisible('turn-off', view.canTurnOff);
  setVisible('turn-on', view.canTurnOn);
  setText('connected-for', view.connectedFor);
  if (typedServer === connection.server) typedServer = '';
  if (document.activeElement !== server && !typedServer) server.value = connection.server || server.value;
  setText('counts', getMessage('counts', connection.received, connection.sent));
  byId('counts', HTMLElement).ariaLabel = getMessage('countsLabel', connection.received, connection.sent);
}

/** @param {SubmitEvent} event */
async function submitCode(event) {
  event.preventDefault();
  pairing = true;
  pairButton.disabled = true;
  pairButton.textContent = getMessage('pairing');
  await pair(code.value, server.value);
  pairing = false;
  pairButton.disabled = false;
  pairButton.textContent = getMessage('pair');
  await refresh();
}

function openPanel() {
  void chrome.sidePanel.open({ windowId }).then(() => window.close());
}

/** Chrome may close the popup when it asks: the service worker stores the answer too. */
async function turnOnNotifications() {
  const granted = await chrome.permissions.request({ permissions: ['notifications'] });
  await chrome.storage.local.set({ notify: granted, notifyOffered: true });
  await refresh();
}

async function declineNotifications() {
  await chrome.storage.local.set({ notifyOffered: true });
  await refresh();
}

localizePage(document);
void followTheme(extensionTheme);
byId('pair-form', HTMLFormElement).addEventListener('submit', submitCode);
onClick('connect', () => request('connect'));
onClick('disconnect', () => request('disconnect'));
onClick('pause', () => request('command', { command: canResume ? 'resume' : 'pause' }));
onClick('stop', () => request('command', { command: 'stop' }));
onClick('turn-off', () => request('turn_off'));
onClick('turn-on', () => request('turn_on'));
onClick('retry', () => retryConnection().then(refresh));
onClick('panel', openPanel);
onClick('review', openPanel);
onClick('notify-on', turnOnNotifications);
onClick('notify-later', declineNotifications);
onClick('options', () => chrome.runtime.openOptionsPage());
onModeChange((mode) => request('command', { command: mode }));
server.addEventListener('input', () => {
  typedServer = server.value.trim();
});
server.addEventListener('change', () => request('set_server', { server: server.value.trim() }));
void retryConnection().catch(() => {});
void refresh();
setInterval(refresh, REFRESH_MS);
