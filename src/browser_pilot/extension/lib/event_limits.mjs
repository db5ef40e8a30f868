/**
 * Limits of the CDP events that one CDP session may pass on to Playwright. Pure: the time is an argument. Also used outside of the
 * extension, in the CDP pipe of managed browsers (engines/driver_preload).
 *
 * Only events are limited whose loss Playwright survives: it keeps no state that a later event needs. Of same-document
 * navigations the latest counts, so those are held instead of dropped.
 */

/**
 * `weight`: what one event counts towards a flood.
 *
 * @typedef {"console" | "network" | "websocket" | "navigation" | "popup" | "other"} EventKind
 * @typedef {{kind: EventKind, method: string, burst: number, perSecond: number, weight: number}} Limit
 */

/** @type {Limit[]} */
const LIMITED = [
  { kind: 'console', method: 'Runtime.consoleAPICalled', burst: 400, perSecond: 50, weight: 1 },
  { kind: 'console', method: 'Runtime.exceptionThrown', burst: 200, perSecond: 25, weight: 1 },
  { kind: 'console', method: 'Log.entryAdded', burst: 200, perSecond: 25, weight: 1 },
  { kind: 'network', method: 'Network.requestWillBeSent', burst: 1000, perSecond: 50, weight: 2 },
  { kind: 'websocket', method: 'Network.webSocketFrameReceived', burst: 100, perSecond: 25, weight: 0.2 },
  { kind: 'websocket', method: 'Network.webSocketFrameSent', burst: 100, perSecond: 25, weight: 0.2 },
  { kind: 'websocket', method: 'Network.webSocketCreated', burst: 100, perSecond: 10, weight: 5 },
  { kind: 'other', method: 'Network.eventSourceMessageReceived', burst: 100, perSecond: 25, weight: 0.2 },
  { kind: 'other', method: 'Network.dataReceived', burst: 1000, perSecond: 200, weight: 0 },
  { kind: 'other', method: 'Page.windowOpen', burst: 50, perSecond: 5, weight: 10 },
  { kind: 'other', method: 'Page.frameRequestedNavigation', burst: 200, perSecond: 20, weight: 1 },
  { kind: 'other', method: 'Page.frameScheduledNavigation', burst: 200, perSecond: 20, weight: 0 },
  { kind: 'other', method: 'Page.frameClearedScheduledNavigation', burst: 200, perSecond: 20, weight: 0 },
  { kind: 'other', method: 'Runtime.bindingCalled', burst: 1000, perSecond: 200, weight: 1 },
  { kind: 'other', method: 'Runtime.consoleAPICleared', burst: 50, perSecond: 5, weight: 1 },
];
/** @type {Limit} */
export const HELD = { kind: 'navigation', method: 'Page.navigatedWithinDocument', burst: 100, perSecond: 20, weight: 1 };

/** The flood of a session is measured in windows of this length. */
export const WINDOW_MS = 250;
/** So much weight, or so many bytes of other events than those of the network, in one window is a flood. */
export const FLOOD_WEIGHT = 250;
export const FLOOD_BYTES = 2_500_000;

/** Events that Playwright must get, however many there are. @type {Map<string, number>} */
export const UNLIMITED_WEIGHTS = new Map([
  // The hub dismisses those that are too many, some ten in a second. One in each window is what an agent answers.
  ['Page.javascriptDialogOpening', FLOOD_WEIGHT / 2],
  ['Page.frameAttached', 20],
  ['Page.downloadWillBegin', 20],
]);
export const WORKER_WEIGHT = 20;
export const POPUP_WEIGHT = 50;

/** @type {Map<string, Limit>} */
export const LIMITS = new Map([...LIMITED, HELD].map((limit) => [limit.method, limit]));

/** Events of a request whose first event was dropped. */
const OF_ONE_REQUEST = new Set([
  'Network.requestWillBeSentExtraInfo',
  'Network.responseReceived',
  'Network.responseReceivedExtraInfo',
  'Network.responseReceivedEarlyHints',
  'Network.requestServedFromCache',
  'Network.resourceChangedPriority',
  'Network.dataReceived',
  'Network.loadingFinished',
  'Network.loadingFailed',
  'Network.policyUpdated',
]);
const WEBSOCKET = 'Network.webSocket';
const MAX_DROPPED_IDS = 50_000;

/** A page is stopped after so many windows of a flood; sooner if the flood is a severe one. A window without makes up for `REST`. */
export const MAX_FLOOD_WINDOWS = 4;
export const MAX_SEVERE_WINDOWS = 2;
const SEVERE = 5;
const REST = 0.5;
/** A message of this size is dropped if its kind is limited at all. */
export const MAX_MESSAGE_BYTES = 1_000_000;

export class TokenBucket {
  /**
   * @param {number} burst
   * @param {number} perSecond
   * @param {number} nowMs
   */
  constructor(burst, perSecond, nowMs) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.tokens = burst;
    this.atMs = nowMs;
  }

  /** What is left. @param {number} nowMs @returns {number} */
  level(nowMs) {
    this.tokens = Math.min(this.burst, this.tokens + ((nowMs - this.atMs) * this.perSecond) / 1000);
    this.atMs = nowMs;
    return this.tokens;
  }

  /** @param {number} nowMs @returns {boolean} */
  take(nowMs) {
    if (this.level(nowMs) < 1) {
      return false;
    }
    this.tokens -= 1;
    return true;
  }
}

/** What one CDP session has sent: its buckets, and what was dropped since the last report. */
export class SessionLimits {
  /** @param {Map<string, TokenBucket>} [buckets] Shared by the workers and frames of a page. */
  constructor(buckets = new Map()) {
    this.buckets = buckets;
    /** @type {Set<string>} */
    this.droppedIds = new Set();
    /** @type {Partial<Record<EventKind, number>>} */
    this.dropped = {};
    this.weight = 0;
    this.bytes = 0;
    this.floodWindows = 0;
    this.severeWindows = 0;
  }

  /**
   * Whether an event goes on to Playwright. Counts it in any case.
   * @param {string} method
   * @param {string} head The beginning of the message.
   * @param {number} bytes
   * @param {number} nowMs
   * @returns {boolean}
   */
  admits(method, head, bytes, nowMs) {
    const limit = LIMITS.get(method);
    const ofNetwork = method.startsWith('Network.');
    this.weight += limit?.weight ?? UNLIMITED_WEIGHTS.get(method) ?? 0;
    this.bytes += limit === undefined || ofNetwork ? 0 : bytes;
    const requestId = ofNetwork ? /"requestId":"([^"]*)"/.exec(head)?.[1] : undefined;
    if (requestId !== undefined && this.droppedIds.has(requestId)) {
      if (OF_ONE_REQUEST.has(method)) {
        return false;
      }
      if (method.startsWith(WEBSOCKET)) {
        this.count('websocket');
        return false;
      }
    }
    if (limit === undefined || isNavigation(method, head)) {
      return true;
    }
    let bucket = this.buckets.get(method);
    if (bucket === undefined) {
      bucket = new TokenBucket(limit.burst, limit.perSecond, nowMs);
      this.buckets.set(method, bucket);
    }
    if (bytes <= MAX_MESSAGE_BYTES && bucket.take(nowMs)) {
      return true;
    }
    this.count(limit.kind);
    if (requestId !== undefined && method !== 'Network.dataReceived' && !method.includes('Frame')) {
      if (this.droppedIds.size >= MAX_DROPPED_IDS) {
        this.droppedIds.clear();
      }
      this.droppedIds.add(requestId);
    }
    return false;
  }

  /** @param {EventKind} kind */
  count(kind) {
    this.dropped[kind] = (this.dropped[kind] ?? 0) + 1;
  }

  /**
   * The end of a window. Returns whether the session has flooded for so long that its page must be stopped.
   * @returns {boolean}
   */
  endWindow() {
    const times = Math.max(this.weight / FLOOD_WEIGHT, this.bytes / FLOOD_BYTES);
    this.weight = 0;
    this.bytes = 0;
    this.floodWindows = times >= 1 ? this.floodWindows + 1 : Math.max(0, this.floodWindows - REST);
    this.severeWindows = times >= SEVERE ? this.severeWindows + 1 : 0;
    return this.floodWindows >= MAX_FLOOD_WINDOWS || this.severeWindows >= MAX_SEVERE_WINDOWS;
  }

  /**
   * What was dropped since the last call.
   * @returns {Partial<Record<EventKind, number>>}
   */
  takeDropped() {
    const dropped = this.dropped;
    this.dropped = {};
    return dropped;
  }
}

/**
 * Whether it is the request of a document, never dropped: Playwright waits for it. Its id is that of the loader.
 * @param {string} method
 * @param {string} head
 * @returns {boolean}
 */
export function isNavigation(method, head) {
  return method === "Network.requestWillBeSent" && /"requestId":"([^"]+)","loaderId":"\1"/.test(head);
}
