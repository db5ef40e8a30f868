/** The picker's part of the side panel: starts it in the page in front, shows the selectors that come back, hands them to the agent. */

import { askHub } from './page.js';
import { make, part, say, show } from './parts.js';
import { text } from './texts.js';

const SCRIPTS = ['element_words.js', 'selectors.js', 'page_selectors.js', 'picker.js'];
const KINDS = { role: 'pickRole', test: 'pickTest', attribute: 'pickLabel', text: 'pickText', css: 'pickCss', xpath: 'pickXpath' };

/** @typedef {{ kind: keyof typeof KINDS, selector: string, fragile: boolean, count: number }} Selector */
/** @typedef {{ role: string, name: string, tag: string, selectors: Selector[], frameUrl: string }} Picked */

/** @type {number | null} the tab in which the user is pointing */
let pickingIn = null;
/** @type {{ tab: number, picked: Picked } | null} */
let last = null;

/** @param {number} tabId */
async function start(tabId) {
  try {
    await chrome.scripting.executeScript({ target: { tabId, allFrames: true }, files: SCRIPTS });
  } catch {
    say('pick-note', text('pickCannot'));
    return;
  }
  pickingIn = tabId;
  say('pick', text('pickStop'));
  say('pick-note', text('picking'));
}

async function stop() {
  const tabId = pickingIn;
  pickingIn = null;
  say('pick', text('pick'));
  if (tabId !== null) await chrome.tabs.sendMessage(tabId, { to: 'picker', stop: true }).catch(() => {});
}

/** @param {Selector} selector @param {boolean} best */
function row(selector, best) {
  const name = text(KINDS[selector.kind]);
  const copy = make('button', { class: 'quiet', 'aria-label': text('copyWhat', name) }, text('copy'));
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(selector.selector);
    copy.textContent = text('copied');
  });
  const tags = [
    ...(best ? [make('span', { class: 'tag', 'data-kind': 'ok' }, text('pickBest'))] : []),
    make('span', { class: 'tag', 'data-kind': selector.count === 1 ? 'ok' : 'ask' }, selector.count === 1 ? text('pickUnique') : text('pickCount', selector.count)),
    ...(selector.fragile ? [make('span', { class: 'tag', 'data-kind': 'ask' }, text('pickFragile'))] : []),
  ];
  return make('div', {}, make('dt', {}, name, ...tags), make('dd', {}, make('code', {}, selector.selector)), copy);
}

/** @param {number} tab @param {Picked} picked */
async function take(tab, picked) {
  await stop();
  last = { tab, picked };
  const what = picked.role === 'generic' ? picked.tag : picked.role;
  say('pick-note', picked.name ? `${what} “${picked.name}”` : what);
  part('picked', HTMLElement).replaceChildren(...picked.selectors.map((selector, index) => row(selector, index === 0)));
}

async function hand() {
  if (!last) return;
  const { tab, picked } = last;
  try {
    const told = await askHub('picked', { tab, frame_url: picked.frameUrl, selectors: picked.selectors.map((one) => one.selector) });
    say('pick-note', text('handed', told.ref));
  } catch (error) {
    say('pick-note', error instanceof Error ? error.message : String(error));
  }
}

/** Whether what was picked can be handed over. @param {(tab: number) => boolean} isDriven */
export function showHand(isDriven) {
  show('hand', last !== null && isDriven(last.tab));
}

/** @param {() => Promise<chrome.tabs.Tab | undefined>} currentTab */
export function startPicking(currentTab) {
  say('pick-note', text('pickNone'));
  part('pick', HTMLElement).addEventListener('click', async () => {
    if (pickingIn !== null) return stop().then(() => say('pick-note', text('pickNone')));
    const tab = await currentTab();
    return tab?.id === undefined ? say('pick-note', text('pickCannot')) : start(tab.id);
  });
  part('hand', HTMLElement).addEventListener('click', (event) => event.isTrusted && hand());
  window.addEventListener('pagehide', () => void stop());
  chrome.runtime.onMessage.addListener((message, sender) => {
    if (message?.to !== 'picker' || sender.id !== chrome.runtime.id || sender.tab?.id === undefined || sender.tab.id !== pickingIn) return;
    if (message.picked) void take(sender.tab.id, message.picked);
    else if (message.ended) void stop().then(() => say('pick-note', text('pickNone')));
  });
}
