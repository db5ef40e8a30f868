/** Opens the side panel. */

/**
 * Chrome opens it only directly within a click of the user; elsewhere its page opens in a window of its own.
 * @param {{ windowId: number, tabId?: number }} where
 */
export async function openPanel({ windowId, tabId }) {
  try {
    // Nothing is awaited before this: Chrome would not count the click any more.
    await chrome.sidePanel.open({ windowId });
  } catch {
    const about = tabId === undefined ? '' : `?tab=${tabId}`;
    await chrome.windows.create({ url: chrome.runtime.getURL(`pages/side_panel.html${about}`), type: 'popup', width: 420, height: 720 });
  }
}
