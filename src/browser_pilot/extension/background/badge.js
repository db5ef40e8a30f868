/** Tells the user that a question waits: by the number on the button, and if they want it by a notification. */

import { text } from './texts.js';

const COLOUR = '#b45309';

/** @typedef {import('./popup_view.js').Waiting} Waiting */

export class Attention {
  /** Whoever presses a notification wants to answer: the panel opens, in a tab where Chrome opens no side panel without a press in itself. */
  listen() {
    chrome.notifications?.onClicked.addListener(async () => {
      const { id } = await chrome.windows.getLastFocused({ windowTypes: ['normal'] });
      try {
        if (id !== undefined) await chrome.sidePanel.open({ windowId: id });
      } catch {
        await chrome.tabs.create({ url: 'sidepanel.html' });
      }
    });
  }

  /** @param {Record<string, unknown>} news what the hub said last */
  async call(news) {
    const waiting = /** @type {Waiting[]} */ (Array.isArray(news.waiting) ? news.waiting : []);
    await chrome.action.setBadgeText({ text: waiting.length ? String(waiting.length) : '' });
    if (waiting.length) await chrome.action.setBadgeBackgroundColor({ color: COLOUR });
    await this.notify(waiting);
  }

  /** One notification for each question, gone with it. @param {Waiting[]} waiting */
  async notify(waiting) {
    const { notify } = await chrome.storage.local.get({ notify: false });
    // The permission is asked for when the user switches it on.
    if (!notify || !chrome.notifications) return;
    const shown = Object.keys(await chrome.notifications.getAll());
    for (const { id, client, what, site } of waiting) {
      if (shown.includes(id)) continue;
      const look = { type: /** @type {const} */ ('basic'), iconUrl: chrome.runtime.getURL('icons/128.png') };
      await chrome.notifications.create(id, { ...look, title: text('notifyTitle', client), message: `${what}\n${site}`, requireInteraction: true });
    }
    await Promise.all(shown.filter((id) => !waiting.some((one) => one.id === id)).map((id) => chrome.notifications.clear(id)));
  }
}
