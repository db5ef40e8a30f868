/** The options: where the hub is, the pairing with it, what holds by default, and how things look. */

import { askWorker, followTheme, linkStatus } from './page.js';
import { part, say, show } from './parts.js';
import { stateOf } from './popup_view.js';
import { fillTexts, text } from './texts.js';

const REFRESH_MS = 1_000;
const ADDRESS = /^(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}$/i;

const server = part('server', HTMLInputElement);
const code = part('code', HTMLInputElement);
const pairButton = part('pair', HTMLButtonElement);
const wholeWindow = part('wholeWindow', HTMLInputElement);
const notify = part('notify', HTMLInputElement);

/** @param {string} name @param {string} value */
function check(name, value) {
  for (const radio of document.querySelectorAll(`input[name=${name}]`)) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === value;
  }
}

async function refresh() {
  const [link, about, stored] = await Promise.all([
    linkStatus(), askWorker('status'), chrome.storage.local.get({ server: '', name: '', key: '', wholeWindow: false, notify: false, theme: 'system' }),
  ]);
  if (!link || !about) return;
  const { state, kind } = stateOf(link, about.news);
  say('state', state);
  part('state', HTMLElement).dataset.kind = kind;
  if (document.activeElement !== server && !server.dataset.typed) server.value = link.server || server.value;
  const paired = Boolean(stored.key);
  // A hub that offers its code may be another one, or one that has forgotten this browser.
  const asks = !paired || (code.value !== '' && (link.phase !== 'connected' || link.server !== server.value));
  show('paired', paired);
  say('paired-as', text('pairedAs', String(stored.name || link.name)));
  show('pair-form', asks);
  show('pair-how', asks);
  if (!part('pair-how', HTMLElement).textContent) say('pair-how', text('pairHow'));
  show('problem', Boolean(link.problem) && link.phase !== 'greeting');
  say('problem', link.problem);
  part('mode', HTMLFieldSetElement).disabled = link.phase !== 'connected';
  check('mode', about.news.mode ?? '');
  check('theme', String(stored.theme));
  wholeWindow.checked = Boolean(stored.wholeWindow);
  notify.checked = Boolean(stored.notify);
}

/** @param {SubmitEvent} event */
async function saveServer(event) {
  event.preventDefault();
  const address = server.value.trim();
  const wrong = !ADDRESS.test(address);
  server.ariaInvalid = String(wrong);
  say('note', text(wrong ? 'serverWrong' : 'saved'));
  if (wrong) return;
  delete server.dataset.typed;
  await askWorker('server', { server: address });
  await refresh();
}

/** @param {SubmitEvent} event */
async function pair(event) {
  event.preventDefault();
  pairButton.disabled = true;
  say('pair', text('pairing'));
  const outcome = await chrome.runtime.sendMessage({ to: 'link', ask: 'pair', code: code.value, server: server.value.trim() });
  pairButton.disabled = false;
  say('pair', text('pair'));
  if (outcome?.paired) {
    code.value = '';
    say('note', '');
  }
  await refresh();
}

/** A hub's own page asked for a pairing: the user sees with whom, and presses the button. */
async function takePairingLink() {
  const { pairingLink } = await chrome.storage.session.get({ pairingLink: null });
  const asked = /** @type {{ server: string, code: string } | null} */ (pairingLink);
  if (!asked) return;
  await chrome.storage.session.remove('pairingLink');
  server.value = asked.server;
  server.dataset.typed = 'yes';
  code.value = asked.code;
  say('pair-how', text('pairWith', asked.server));
  await refresh();
  pairButton.focus();
}

/** @param {Event} event */
async function chooseNotifications(event) {
  const wanted = event.currentTarget instanceof HTMLInputElement && event.currentTarget.checked;
  const granted = wanted && (await chrome.permissions.request({ permissions: ['notifications'] }));
  await chrome.storage.local.set({ notify: granted });
  await refresh();
}

fillTexts(document);
void followTheme();
document.title = text('optionsTitle');
say('version', text('version', chrome.runtime.getManifest().version));
part('server-form', HTMLFormElement).addEventListener('submit', saveServer);
server.addEventListener('input', () => {
  server.dataset.typed = 'yes';
});
part('pair-form', HTMLFormElement).addEventListener('submit', pair);
part('unpair', HTMLElement).addEventListener('click', async () => {
  await chrome.storage.local.remove(['browser', 'key', 'name']);
  say('note', text('unpaired'));
  await refresh();
});
part('mode', HTMLElement).addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) void askWorker('word', { word: event.target.value });
});
part('theme', HTMLElement).addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) void chrome.storage.local.set({ theme: event.target.value });
});
wholeWindow.addEventListener('change', () => void chrome.storage.local.set({ wholeWindow: wholeWindow.checked }));
notify.addEventListener('change', chooseNotifications);
chrome.storage.session.onChanged.addListener((changes) => {
  if (changes.pairingLink?.newValue) void takePairingLink();
});
void refresh().then(takePairingLink);
setInterval(refresh, REFRESH_MS);
