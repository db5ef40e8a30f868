/** The popup: shows how things stand, twice a second, and passes on what the user wants. */

import { popupView } from './popup_view.js';
import { TEXTS } from './texts.js';

const REFRESH_MS = 500;

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`#${id} is missing`);
  return found;
}

const server = part('server', HTMLInputElement);
const code = part('code', HTMLInputElement);
const pairButton = part('pair', HTMLButtonElement);
let pairing = false;
/** A server that the user typed and that is not in use yet. */
let typedServer = '';

/** The tab that the popup is about: the one in front, or in tests the one that the address names. */
async function currentTab() {
  const named = new URLSearchParams(location.search).get('tab');
  if (named) return chrome.tabs.get(Number(named));
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab;
}

/** @param {string} ask @param {Record<string, unknown>} [more] */
async function tell(ask, more = {}) {
  const tab = await currentTab();
  await chrome.runtime.sendMessage({ to: 'worker', ask, tab: tab?.id ?? -1, ...more });
  await refresh();
}

async function refresh() {
  const tab = await currentTab();
  const about = await chrome.runtime.sendMessage({ to: 'worker', ask: 'status', tab: tab?.id ?? -1 });
  const link = await chrome.runtime.sendMessage({ to: 'link', ask: 'status' });
  if (!about || !link) return;
  const page = { title: tab?.title ?? '', url: tab?.url ?? '' };
  const view = popupView(link, about, page, Date.now());
  const state = part('state', HTMLElement);
  if (state.textContent !== view.state) state.textContent = view.state;
  state.dataset.kind = view.kind;
  show('pairing', view.pairing || pairing);
  show('tab', view.tab);
  part('tab-title', HTMLElement).textContent = page.title;
  part('tab-address', HTMLElement).textContent = page.url;
  part('tab-note', HTMLElement).textContent = view.note;
  show('connect', view.canConnect);
  show('disconnect', view.canDisconnect);
  show('pause', view.pause !== '');
  part('pause', HTMLElement).textContent = view.pause;
  show('stop', view.canStop);
  show('problem', view.problem !== '');
  if (part('problem', HTMLElement).textContent !== view.problem) part('problem', HTMLElement).textContent = view.problem;
  show('mode-section', view.mode !== '');
  for (const radio of document.querySelectorAll('input[name=mode]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === view.mode;
  }
  show('retry', view.canRetry);
  show('off', view.canSwitchOff);
  show('on', view.canSwitchOn);
  if (typedServer === link.server) typedServer = '';
  if (document.activeElement !== server && !typedServer) server.value = link.server || server.value;
  const counts = part('counts', HTMLElement);
  counts.textContent = TEXTS.counts(link.down, link.up);
  counts.ariaLabel = TEXTS.countsLabel(link.down, link.up);
}

/** @param {string} id @param {boolean} visible */
function show(id, visible) {
  part(id, HTMLElement).hidden = !visible;
}

/** @param {SubmitEvent} event */
async function pair(event) {
  event.preventDefault();
  pairing = true;
  pairButton.disabled = true;
  pairButton.textContent = TEXTS.pairing;
  await chrome.runtime.sendMessage({ to: 'link', ask: 'pair', code: code.value, server: server.value });
  pairing = false;
  pairButton.disabled = false;
  pairButton.textContent = TEXTS.pair;
  await refresh();
}

for (const element of document.querySelectorAll('[data-text]')) {
  const text = TEXTS[/** @type {keyof typeof TEXTS} */ (element.getAttribute('data-text'))];
  if (typeof text === 'string') element.textContent = text;
}
part('pair-form', HTMLFormElement).addEventListener('submit', pair);
part('connect', HTMLElement).addEventListener('click', () => tell('connect'));
part('disconnect', HTMLElement).addEventListener('click', () => tell('disconnect'));
part('pause', HTMLElement).addEventListener('click', (event) => {
  const resume = event.currentTarget instanceof HTMLElement && event.currentTarget.textContent === TEXTS.resume;
  void tell('word', { word: resume ? 'resume' : 'pause' });
});
part('stop', HTMLElement).addEventListener('click', () => tell('word', { word: 'stop' }));
part('mode', HTMLElement).addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) void tell('word', { word: event.target.value });
});
part('off', HTMLElement).addEventListener('click', () => tell('off'));
part('on', HTMLElement).addEventListener('click', () => tell('on'));
part('retry', HTMLElement).addEventListener('click', () => chrome.runtime.sendMessage({ to: 'link', ask: 'retry' }).then(refresh));
server.addEventListener('input', () => {
  typedServer = server.value.trim();
});
server.addEventListener('change', () => tell('server', { server: server.value.trim() }));
code.ariaLabel = TEXTS.pairCode;
void chrome.runtime.sendMessage({ to: 'link', ask: 'retry' }).catch(() => {});
void refresh();
setInterval(refresh, REFRESH_MS);
