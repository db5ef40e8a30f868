/** Whether the user can see that an approval request is pending. */

const REVIEW_PAGES = ['pages/side_panel.html', 'pages/popup.html'];

/**
 * In an open panel or popup, in a notification, on a pinned toolbar button, or in the indicator of a page that is in front.
 * @param {import('./controlled_tabs.js').ControlledTabs} controlled @returns {Promise<boolean>}
 */
export async function canSeeRequests(controlled) {
  const found = await Promise.all([isReviewPageOpen(), notifies(), isButtonPinned(), isIndicatorInFront(controlled)]);
  return found.includes(true);
}

async function isReviewPageOpen() {
  const contexts = await chrome.runtime.getContexts({});
  const pages = REVIEW_PAGES.map((page) => chrome.runtime.getURL(page));
  return contexts.some(({ documentUrl }) => pages.some((page) => documentUrl?.startsWith(page)));
}

async function notifies() {
  const { notify } = await chrome.storage.local.get({ notify: false });
  return Boolean(notify && chrome.notifications && (await chrome.notifications.getPermissionLevel()) === 'granted');
}

async function isButtonPinned() {
  return Boolean((await chrome.action.getUserSettings()).isOnToolbar);
}

/** @param {import('./controlled_tabs.js').ControlledTabs} controlled */
async function isIndicatorInFront(controlled) {
  const windows = await chrome.windows.getAll({ populate: true });
  return windows.some(({ state, tabs }) => state !== 'minimized' && tabs?.some(({ id, active }) => active && controlled.has(id)));
}
