/**
 * Limits what the pages of controlled tabs send to the hub: drops and counts CDP events that exceed `event_limits`, and stops the scripts
 * of a page that goes on flooding until its next document. So one page delays neither the hub nor the user's other tabs.
 *
 * Reports to the hub once per second, as an event of the tab. Lives as long as the worker; keeps nothing of a tab that is detached.
 */

import { HELD, MAX_MESSAGE_BYTES, SessionLimits, WINDOW_MS, WORKER_WEIGHT } from '../lib/event_limits.mjs';

export const DROPPED_EVENT = 'Pilot.eventsDropped';
const REPORT_WINDOWS = 4;
/** Without events for so many windows, the clock stops: it would keep the worker alive. */
const MAX_IDLE_WINDOWS = 40;

/** @typedef {{ tabId?: number, sessionId?: string }} Source */
/** @typedef {Record<string, any>} Params */
/** @typedef {{ limits: SessionLimits, isStopped: boolean, isPage: boolean, held: Map<string, [Source, string, Params]> }} Session */
/** @typedef {{ sessions: Map<string, Session>, childBuckets: Map<string, any>, unreportedStop: boolean }} FloodingTab */
/**
 * @typedef {object} Environment
 * @property {(source: Source, method: string, params: Params) => void} forward passes an event on to the hub
 * @property {(source: Source, method: string, params?: Params) => void} command sends a CDP command to the page
 * @property {() => number} now
 * @property {(run: () => void, ms: number) => any} setInterval
 * @property {(timer: any) => void} clearInterval
 */

export class FloodLimiter {
  /** @param {Environment} env */
  constructor(env) {
    this.env = env;
    /** @type {Map<number, FloodingTab>} */
    this.tabs = new Map();
    /** @type {any} */
    this.timer = null;
    this.windows = 0;
    this.idleWindows = 0;
  }

  /** An event of a controlled tab. @param {Source} source @param {string} method @param {Params} params */
  onEvent(source, method, params) {
    this.idleWindows = 0;
    this.timer ??= this.env.setInterval(() => this.endWindow(), WINDOW_MS);
    const tab = this.tabOf(source);
    const session = this.sessionOf(tab, source);
    if (method === 'Target.attachedToTarget') this.onChildAttached(tab, session, params);
    else if (method === 'Target.detachedFromTarget') tab.sessions.delete(String(params.sessionId));
    else if (method.startsWith('Page.frame')) this.flush(session);
    if (session.isStopped && opensDocument(source, method, params)) this.allowScripts(source, session);
    if (session.limits.admits(method, headOf(params), sizeOf(method, params), this.env.now())) {
      if (method === HELD.method) session.held.delete(String(params.frameId));
      this.env.forward(source, method, params);
    } else if (method === HELD.method) session.held.set(String(params.frameId), [source, method, params]);
  }

  /** The debugger is detached: Chrome has undone what it changed. @param {number | undefined} tabId */
  forget(tabId) {
    if (tabId !== undefined) this.tabs.delete(tabId);
  }

  /** @param {Source} source @returns {FloodingTab} */
  tabOf({ tabId = -1 }) {
    const tab = this.tabs.get(tabId) ?? { sessions: new Map(), childBuckets: new Map(), unreportedStop: false };
    this.tabs.set(tabId, tab);
    return tab;
  }

  /** @param {FloodingTab} tab @param {Source} source @returns {Session} */
  sessionOf(tab, { sessionId = '' }) {
    let session = tab.sessions.get(sessionId);
    if (!session) {
      session = { limits: new SessionLimits(sessionId ? tab.childBuckets : undefined), isStopped: false, isPage: true, held: new Map() };
      tab.sessions.set(sessionId, session);
    }
    return session;
  }

  /** A worker or a frame in another process. @param {FloodingTab} tab @param {Session} parent @param {Params} params */
  onChildAttached(tab, parent, { sessionId, targetInfo }) {
    parent.limits.weight += WORKER_WEIGHT;
    this.sessionOf(tab, { sessionId: String(sessionId) }).isPage = targetInfo?.type === 'iframe' || targetInfo?.type === 'page';
  }

  /** The end of a window of `WINDOW_MS`. */
  endWindow() {
    this.windows += 1;
    this.idleWindows += 1;
    for (const [tabId, tab] of this.tabs) {
      for (const [sessionId, session] of tab.sessions) {
        this.flush(session);
        if (session.limits.endWindow()) this.stop(sessionId ? { tabId, sessionId } : { tabId }, tab, session);
      }
      if (this.windows % REPORT_WINDOWS === 0) this.report(tabId, tab);
    }
    if (this.idleWindows < MAX_IDLE_WINDOWS) return;
    this.env.clearInterval(this.timer);
    this.timer = null;
  }

  /** Of same-document navigations the latest counts. @param {Session} session */
  flush(session) {
    const held = [...session.held.values()];
    session.held.clear();
    for (const event of held) this.env.forward(...event);
  }

  /** Stops the scripts behind a session; a second time, also the one that runs. @param {Source} source @param {FloodingTab} tab @param {Session} session */
  stop(source, tab, session) {
    if (session.isPage) {
      if (session.isStopped) this.env.command(source, 'Runtime.terminateExecution');
      this.env.command(source, 'Emulation.setScriptExecutionDisabled', { value: true });
      // Requests that it has made already go on otherwise, thousands of them.
      this.env.command(source, 'Page.stopLoading');
    } else {
      this.env.command(source, 'Debugger.enable');
      this.env.command(source, 'Debugger.pause');
    }
    tab.unreportedStop ||= !session.isStopped;
    session.isStopped = true;
  }

  /** @param {Source} source @param {Session} session */
  allowScripts(source, session) {
    session.isStopped = false;
    this.env.command(source, 'Emulation.setScriptExecutionDisabled', { value: false });
  }

  /** @param {number} tabId @param {FloodingTab} tab */
  report(tabId, tab) {
    /** @type {Record<string, number>} */
    const dropped = {};
    for (const { limits } of tab.sessions.values()) {
      for (const [kind, count] of Object.entries(limits.takeDropped())) dropped[kind] = (dropped[kind] ?? 0) + (count ?? 0);
    }
    if (!tab.unreportedStop && Object.keys(dropped).length === 0) return;
    this.env.forward({ tabId }, DROPPED_EVENT, { dropped, stopped: tab.unreportedStop });
    tab.unreportedStop = false;
  }
}

/** What `SessionLimits` reads of a message in JSON. @param {Params} params */
function headOf({ requestId, loaderId }) {
  return requestId === undefined ? '' : `"requestId":"${requestId}","loaderId":"${loaderId ?? ''}"`;
}

/** About how long the message is: of events that a page can make large. @param {string} method @param {Params} params */
function sizeOf(method, params) {
  let size = 0;
  if (method === 'Runtime.consoleAPICalled') for (const { value, description } of params.args ?? []) size += String(value ?? description ?? '').length;
  else if (method === 'Runtime.bindingCalled') size = String(params.payload).length;
  else if (method.startsWith('Network.webSocketFrame')) size = String(params.response?.payloadData).length;
  else if (method === 'Page.navigatedWithinDocument') size = String(params.url).length;
  return Math.min(size, MAX_MESSAGE_BYTES + 1);
}

/** Whether the event begins another document in the session's own frame. @param {Source} source @param {string} method @param {Params} params */
function opensDocument({ sessionId }, method, params) {
  if (method === 'Network.requestWillBeSent') return params.requestId === params.loaderId && params.type === 'Document';
  return method === 'Page.frameNavigated' && (sessionId !== undefined || params.frame?.parentId === undefined);
}
