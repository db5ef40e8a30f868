/**
 * Keeps the user's focus where it was: a tab that an agent's click opens does not stay in front.
 *
 * To do so it must tell the agent's doing from the user's own. It remembers when a command of the hub last went to a tab, and where
 * its mouse last pressed. All of it is lost with the worker, which lives for as long as a debugger is attached.
 */

const AT_WORK_MS = 5_000;
const MOUSE_MS = 1_000;
const ACTS = /^(Input\.|Page\.navigate|Page\.reload|Runtime\.(evaluate|callFunctionOn)$)/;

/** @typedef {{ tabId?: number }} Target */

export class FocusKeeper {
  constructor() {
    /** When the hub last acted in a tab. @type {Map<number, number>} */
    this.acted = new Map();
    /** Where and when its mouse last moved or pressed. @type {Map<number, { x: number, y: number, at: number }>} */
    this.mouse = new Map();
    /** The tab in front of each window, and the one that was there before. @type {Map<number, { now: number, before: number | undefined }>} */
    this.front = new Map();
  }

  /** @param {unknown[]} args those of debugger.sendCommand */
  noteCommand(args) {
    const [target, method, params] = /** @type {[Target, string, { x?: number, y?: number } | undefined]} */ (args);
    const tabId = target.tabId;
    if (tabId === undefined || !ACTS.test(method)) return;
    this.acted.set(tabId, Date.now());
    if (method === 'Input.dispatchMouseEvent' && params) {
      this.mouse.set(tabId, { x: params.x ?? 0, y: params.y ?? 0, at: Date.now() });
    }
  }

  /** @param {number} tabId */
  isAgentAtWork(tabId) {
    return Date.now() - (this.acted.get(tabId) ?? 0) < AT_WORK_MS;
  }

  /** Whether a mouse that moves in the page can be the user's. @param {number} tabId */
  isUsersMouse(tabId) {
    return Date.now() - (this.mouse.get(tabId)?.at ?? 0) > MOUSE_MS;
  }

  /** @param {number} tabId @param {number} x @param {number} y */
  isUsersClick(tabId, x, y) {
    const agents = this.mouse.get(tabId);
    return !agents || this.isUsersMouse(tabId) || Math.abs(agents.x - x) > 1 || Math.abs(agents.y - y) > 1;
  }

  /** @param {{ tabId: number, windowId: number }} active */
  noteActive({ tabId, windowId }) {
    const front = this.front.get(windowId);
    if (front?.now !== tabId) this.front.set(windowId, { now: tabId, before: front?.now });
  }

  /** What is in front when the worker begins. */
  async look() {
    for (const tab of await chrome.tabs.query({ active: true })) {
      if (tab.id !== undefined && !this.front.has(tab.windowId)) this.noteActive({ tabId: tab.id, windowId: tab.windowId });
    }
  }

  /** Put the tab that was in front back there, if a new one took its place. @param {number} tabId @param {number} sourceId */
  async giveBack(tabId, sourceId) {
    if (!this.isAgentAtWork(sourceId)) return;
    try {
      const [opened, source] = await Promise.all([chrome.tabs.get(tabId), chrome.tabs.get(sourceId)]);
      if (opened.windowId !== source.windowId) {
        // A popup window: its page works as well in a tab of the window that asked for it.
        await chrome.tabs.move(tabId, { windowId: source.windowId, index: -1 });
      } else if (opened.active) {
        // Chrome may tell that the new tab is in front before it tells where it comes from, or after.
        const front = this.front.get(opened.windowId);
        const users = front?.now === tabId ? front.before : front?.now;
        await chrome.tabs.update(users ?? sourceId, { active: true });
      }
    } catch {
      // One of them is closed already.
    }
  }
}
