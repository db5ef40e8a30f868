/**
 * Decides whose a new tab is, and keeps the user's tab in front: a tab that an agent's click opens does not stay active.
 *
 * To distinguish the agent's input from the user's, it records when the hub last sent input to a tab and where its mouse was. Reading a
 * page is no input, although it runs scripts. The records end with the service worker, which lives for as long as a debugger is attached.
 */

/** A tab that opens in this time after an agent's input, from a page of the user, is the agent's. */
const AGENT_INPUT_MS = 1_000;
/** A tab of the agent's that opens in this time after any command does not stay active. */
const AGENT_ACTIVE_MS = 5_000;
const AGENT_MOUSE_MS = 1_000;
const INPUT_METHODS = /^(Input\.dispatch\w+Event|Input\.insertText|Page\.(navigate|navigateToHistoryEntry|reload))$/;
const SCRIPT_METHODS = /^Runtime\.(evaluate|callFunctionOn)$/;
/** The hub marks the scripts that agents give (`browser_evaluate`) with this group: all others only read. */
const AGENT_SCRIPT_GROUP = 'browser-pilot-agent-script';

/** @typedef {{ tabId?: number }} Target */
/** @typedef {{ x?: number, y?: number, objectGroup?: string }} Params */

export class FocusGuard {
  constructor() {
    /** When the hub last sent an agent's input to a tab. @type {Map<number, number>} */
    this.lastInput = new Map();
    /** When the hub last sent input to a tab or ran a script in it. @type {Map<number, number>} */
    this.lastAction = new Map();
    /** Where and when the agent's mouse last moved or pressed. @type {Map<number, { x: number, y: number, at: number }>} */
    this.agentMouse = new Map();
    /** The active tab of each window, and the one before it. @type {Map<number, { current: number, previous: number | undefined }>} */
    this.active = new Map();
  }

  /** Called when a command is sent, and again when Chrome has executed it. @param {unknown[]} args those of debugger.sendCommand */
  recordCommand(args) {
    const [target, method, params] = /** @type {[Target | undefined, string, Params | undefined]} */ (args);
    const tabId = target?.tabId;
    if (tabId === undefined || typeof method !== 'string') return;
    const isScript = SCRIPT_METHODS.test(method);
    if (!isScript && !INPUT_METHODS.test(method)) return;
    this.lastAction.set(tabId, Date.now());
    if (!isScript || params?.objectGroup === AGENT_SCRIPT_GROUP) this.lastInput.set(tabId, Date.now());
    if (method === 'Input.dispatchMouseEvent' && params) {
      this.agentMouse.set(tabId, { x: params.x ?? 0, y: params.y ?? 0, at: Date.now() });
    }
  }

  /** Whether a tab that this one opens now is the agent's, and not the user's. @param {number} tabId */
  isAgentInput(tabId) {
    return Date.now() - (this.lastInput.get(tabId) ?? 0) < AGENT_INPUT_MS;
  }

  /** @param {number} tabId */
  isAgentActive(tabId) {
    return Date.now() - (this.lastAction.get(tabId) ?? 0) < AGENT_ACTIVE_MS;
  }

  /** Whether a mouse move in the page can be the user's. @param {number} tabId */
  isUserMouse(tabId) {
    return Date.now() - (this.agentMouse.get(tabId)?.at ?? 0) > AGENT_MOUSE_MS;
  }

  /** @param {number} tabId @param {number} x @param {number} y */
  isUserClick(tabId, x, y) {
    const agent = this.agentMouse.get(tabId);
    return !agent || this.isUserMouse(tabId) || Math.abs(agent.x - x) > 1 || Math.abs(agent.y - y) > 1;
  }

  /** @param {{ tabId: number, windowId: number }} activated */
  onActivated({ tabId, windowId }) {
    const active = this.active.get(windowId);
    if (active?.current !== tabId) this.active.set(windowId, { current: tabId, previous: active?.current });
  }

  /** Reads the active tabs when the worker starts. */
  async load() {
    for (const tab of await chrome.tabs.query({ active: true })) {
      if (tab.id !== undefined && !this.active.has(tab.windowId)) this.onActivated({ tabId: tab.id, windowId: tab.windowId });
    }
  }

  /** Activates the user's tab again after an agent opened a tab. @param {number} tabId @param {number} sourceId */
  async restoreActiveTab(tabId, sourceId) {
    if (!this.isAgentActive(sourceId)) return;
    try {
      const [opened, source] = await Promise.all([chrome.tabs.get(tabId), chrome.tabs.get(sourceId)]);
      if (opened.windowId !== source.windowId) {
        // A popup window: its page works as well in a tab of the window that opened it.
        await chrome.tabs.move(tabId, { windowId: source.windowId, index: -1 });
      } else if (opened.active) {
        // Chrome sends tabs.onActivated before or after webNavigation.onCreatedNavigationTarget.
        const active = this.active.get(opened.windowId);
        const usersTab = active?.current === tabId ? active.previous : active?.current;
        await chrome.tabs.update(usersTab ?? sourceId, { active: true });
      }
    } catch {
      // One of the tabs is closed already.
    }
  }
}
