/** The picker in the side panel: starts it in the active page, shows the selectors of the picked element, and gives it to the agent. */

import { byId, createElement, onClick, setText, setVisible } from '../lib/dom.js';
import { getMessage } from '../lib/i18n.js';
import { requestHub } from './messaging.js';

const SCRIPTS = ['content/accname.js', 'content/selector_generator.js', 'content/page_selectors.js', 'content/picker.js'];
const KINDS = { role: 'pickRole', test: 'pickTestId', attribute: 'pickAttribute', text: 'pickText', css: 'pickCss', xpath: 'pickXpath' };

/** @typedef {{ kind: keyof typeof KINDS, selector: string, fragile: boolean, count: number }} Selector */
/** @typedef {{ role: string, name: string, tag: string, selectors: Selector[], frameUrl: string }} Picked */

/** @type {number | null} the tab in which the picker runs */
let pickingTab = null;
/** @type {{ tab: number, picked: Picked } | null} */
let last = null;

/** @param {number} tabId */
async function start(tabId) {
  try {
    await chrome.scripting.executeScript({ target: { tabId, allFrames: true }, files: SCRIPTS });
  } catch {
    setText('pick-note', getMessage('pickCannot'));
    return;
  }
  pickingTab = tabId;
  setText('pick', getMessage('pickStop'));
  setText('pick-note', getMessage('picking'));
}

async function stop() {
  const tabId = pickingTab;
  pickingTab = null;
  setText('pick', getMessage('pick'));
  if (tabId !== null) await chrome.tabs.sendMessage(tabId, { to: 'picker', type: 'stop' }).catch(() => {});
}

async function cancel() {
  await stop();
  setText('pick-note', getMessage('pickNone'));
}

/** @param {Selector} selector @param {boolean} best */
function createRow(selector, best) {
  const name = getMessage(KINDS[selector.kind]);
  const copy = createElement('button', { class: 'quiet', 'aria-label': getMessage('copyLabel', name) }, getMessage('copy'));
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(selector.selector);
    copy.textContent = getMessage('copied');
  });
  const tags = [
    ...(best ? [createElement('span', { class: 'tag', 'data-kind': 'ok' }, getMessage('pickBest'))] : []),
    createElement('span', { class: 'tag', 'data-kind': selector.count === 1 ? 'ok' : 'ask' }, selector.count === 1 ? getMessage('pickUnique') : getMessage('pickCount', selector.count)),
    ...(selector.fragile ? [createElement('span', { class: 'tag', 'data-kind': 'ask' }, getMessage('pickFragile'))] : []),
  ];
  return createElement('div', {}, createElement('dt', {}, name, ...tags), createElement('dd', {}, createElement('code', {}, selector.selector)), copy);
}

/** @param {number} tab @param {Picked} picked */
async function onPicked(tab, picked) {
  await stop();
  last = { tab, picked };
  const role = picked.role === 'generic' ? picked.tag : picked.role;
  setText('pick-note', picked.name ? `${role} “${picked.name}”` : role);
  byId('picked', HTMLElement).replaceChildren(...picked.selectors.map((selector, index) => createRow(selector, index === 0)));
}

async function giveToAgent() {
  if (!last) return;
  const { tab, picked } = last;
  try {
    const { ref } = await requestHub('picked_element', { tab, frame_url: picked.frameUrl, selectors: picked.selectors.map((one) => one.selector) });
    setText('pick-note', getMessage('givenToAgent', ref));
  } catch (error) {
    setText('pick-note', error instanceof Error ? error.message : String(error));
  }
}

/** @param {(tab: number) => boolean} hasAgent whether an agent uses a tab */
export function showGiveButton(hasAgent) {
  setVisible('give', last !== null && hasAgent(last.tab));
}

/** @param {() => Promise<chrome.tabs.Tab | undefined>} currentTab */
export function startPicker(currentTab) {
  setText('pick-note', getMessage('pickNone'));
  onClick('pick', async () => {
    if (pickingTab !== null) return cancel();
    const tab = await currentTab();
    return tab?.id === undefined ? setText('pick-note', getMessage('pickCannot')) : start(tab.id);
  });
  onClick('give', (event) => event.isTrusted && giveToAgent());
  window.addEventListener('pagehide', () => void stop());
  chrome.runtime.onMessage.addListener((message, sender) => {
    if (message?.to !== 'picker' || sender.id !== chrome.runtime.id || sender.tab?.id === undefined || sender.tab.id !== pickingTab) return;
    if (message.type === 'picked') void onPicked(sender.tab.id, message.picked);
    else if (message.type === 'cancelled') void cancel();
  });
}
