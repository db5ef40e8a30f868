/** Shows pending approval requests: their number on the toolbar button, and notifications if the user wants them. */

import { getMessage } from '../lib/i18n.js';
import { openPanel } from './side_panel.js';

const COLOR = '#b45309';

/** @typedef {import('../lib/connection_status.js').HubState} HubState */
/** @typedef {import('../lib/connection_status.js').PendingApproval} PendingApproval */

export class Badge {
  /** A click on a notification opens the side panel. */
  listen() {
    chrome.notifications?.onClicked.addListener(async () => {
      const { id } = await chrome.windows.getLastFocused({ windowTypes: ['normal'] });
      await openPanel({ windowId: id ?? chrome.windows.WINDOW_ID_NONE });
    });
  }

  /** @param {HubState} hub */
  async update({ approvals = [] }) {
    await chrome.action.setBadgeText({ text: approvals.length ? String(approvals.length) : '' });
    if (approvals.length) await chrome.action.setBadgeBackgroundColor({ color: COLOR });
    await this.notify(approvals);
  }

  /** One notification per approval request, cleared with it. @param {PendingApproval[]} approvals */
  async notify(approvals) {
    const { notify } = await chrome.storage.local.get({ notify: false });
    // The permission is optional: the options page requests it when the user turns notifications on.
    if (!notify || !chrome.notifications) return;
    const shown = Object.keys(await chrome.notifications.getAll());
    for (const { id, client, what, site } of approvals) {
      if (shown.includes(id)) continue;
      const icon = { type: /** @type {const} */ ('basic'), iconUrl: chrome.runtime.getURL('icons/128.png') };
      await chrome.notifications.create(id, { ...icon, title: getMessage('notificationTitle', client), message: `${what}\n${site}`, requireInteraction: true });
    }
    await Promise.all(shown.filter((id) => !approvals.some((one) => one.id === id)).map((id) => chrome.notifications.clear(id)));
  }
}
