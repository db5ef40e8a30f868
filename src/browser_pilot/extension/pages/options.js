/** The options: the hub's address, the pairing, the defaults, and the theme. */

import { connectionState } from '../lib/connection_status.js';
import { byId, checkRadio, onClick, setText, setVisible } from '../lib/dom.js';
import { getMessage, localizePage } from '../lib/i18n.js';
import { onModeChange, showMode } from '../lib/mode_switch.js';
import { showState } from '../lib/status_header.js';
import { chooseTheme, extensionTheme, followTheme } from '../lib/theme.js';
import { connectionStatus, pair, requestWorker } from './messaging.js';

const REFRESH_MS = 1_000;
/** An offer may appear under a key press that was meant for another page. */
const PAIR_DELAY_MS = 1_500;
const HOST_AND_PORT = /^(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}$/i;

const server = byId('server', HTMLInputElement);
const code = byId('code', HTMLInputElement);
const pairButton = byId('pair', HTMLButtonElement);
const wholeWindow = byId('wholeWindow', HTMLInputElement);
const notify = byId('notify', HTMLInputElement);

async function refresh() {
  const [connection, status, stored] = await Promise.all([
    connectionStatus(), requestWorker('status'), chrome.storage.local.get({ name: '', browser: '', wholeWindow: false, notify: false }),
  ]);
  if (!connection || !status) return;
  showState(connectionState(connection, status.hub));
  if (document.activeElement !== server && !server.dataset.typed) server.value = connection.server || server.value;
  const paired = Boolean(stored.browser);
  setVisible('paired', paired);
  setText('paired-as', getMessage('pairedAs', String(stored.name || connection.name)));
  setVisible('pair-form', !paired);
  setVisible('pair-how', !paired);
  if (!byId('pair-how', HTMLElement).textContent) setText('pair-how', getMessage('pairHow'));
  setVisible('problem', Boolean(connection.problem) && connection.phase !== 'connecting');
  setText('problem', connection.problem);
  byId('mode', HTMLFieldSetElement).disabled = connection.phase !== 'connected';
  showMode(status.hub.mode ?? '');
  wholeWindow.checked = Boolean(stored.wholeWindow);
  notify.checked = Boolean(stored.notify);
}

/** @param {SubmitEvent} event */
async function saveServer(event) {
  event.preventDefault();
  const address = server.value.trim();
  const invalid = !HOST_AND_PORT.test(address);
  server.ariaInvalid = String(invalid);
  setText('note', getMessage(invalid ? 'serverInvalid' : 'saved'));
  if (invalid) return;
  delete server.dataset.typed;
  await requestWorker('set_server', { server: address });
  await refresh();
}

/** @param {SubmitEvent} event */
async function submitCode(event) {
  event.preventDefault();
  if (pairButton.disabled) return;
  pairButton.disabled = true;
  setText('pair', getMessage('pairing'));
  const outcome = await pair(code.value, server.value.trim());
  pairButton.disabled = false;
  setText('pair', getMessage('pair'));
  if (outcome?.paired) {
    code.value = '';
    setText('note', '');
  }
  await refresh();
}

/** Shows the offer of a hub's page to pair: the user sees the address and confirms. */
async function showPairingOffer() {
  const { pairingOffer } = await chrome.storage.session.get({ pairingOffer: null });
  const offer = /** @type {{ server: string, code: string } | null} */ (pairingOffer);
  if (!offer) return;
  await chrome.storage.session.remove('pairingOffer');
  server.value = offer.server;
  server.dataset.typed = 'yes';
  code.value = offer.code;
  setText('pair-how', getMessage('pairWith', offer.server));
  holdPairButton();
  await refresh();
}

/** @type {number | undefined} */
let holdTimer;

/** Disables the button until the offer has been visible for a while. It never gets the focus by itself. */
function holdPairButton() {
  pairButton.disabled = true;
  pairButton.blur();
  clearTimeout(holdTimer);
  if (document.visibilityState === 'visible') {
    holdTimer = setTimeout(() => {
      pairButton.disabled = false;
    }, PAIR_DELAY_MS);
  }
}

/** @param {Event} event */
async function changeNotifications(event) {
  const wanted = event.currentTarget instanceof HTMLInputElement && event.currentTarget.checked;
  const granted = wanted && (await chrome.permissions.request({ permissions: ['notifications'] }));
  await chrome.storage.local.set({ notify: granted });
  await refresh();
}

localizePage(document);
void followTheme(extensionTheme, (theme) => checkRadio('theme', theme));
document.title = getMessage('optionsTitle');
setText('version', getMessage('version', chrome.runtime.getManifest().version));
byId('server-form', HTMLFormElement).addEventListener('submit', saveServer);
server.addEventListener('input', () => {
  server.dataset.typed = 'yes';
});
byId('pair-form', HTMLFormElement).addEventListener('submit', submitCode);
onClick('unpair', async () => {
  await chrome.storage.local.remove(['browser', 'name']);
  setText('note', getMessage('unpaired'));
  await refresh();
});
onModeChange((mode) => void requestWorker('command', { command: mode }));
byId('theme', HTMLElement).addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) void chooseTheme(extensionTheme, event.target.value);
});
wholeWindow.addEventListener('change', () => void chrome.storage.local.set({ wholeWindow: wholeWindow.checked }));
notify.addEventListener('change', changeNotifications);
document.addEventListener('visibilitychange', holdPairButton);
chrome.storage.session.onChanged.addListener((changes) => {
  if (changes.pairingOffer?.newValue) void showPairingOffer();
});
void refresh().then(showPairingOffer);
setInterval(refresh, REFRESH_MS);
