/**
 * Filters what Chromium sends to Playwright over the CDP pipe: drops and counts what exceeds `event_limits`, closes
 * popups beyond a limit, stops the scripts of a page or worker that goes on flooding, and reports all this as
 * `Pilot.eventsDropped` to the CDP sessions of the page, once per second.
 *
 * Scripts of a stopped page run again in its next document. A stopped worker stays paused.
 *
 * Messages are recognised by their first and last bytes: parsing a flood is what stalls Playwright. A message that is
 * dropped is not even collected.
 */

import {
  HELD,
  LIMITS,
  MAX_MESSAGE_BYTES,
  POPUP_WEIGHT,
  SessionLimits,
  TokenBucket,
  WORKER_WEIGHT,
  isNavigation,
} from '../../extension/lib/event_limits.mjs';

export const DROPPED_EVENT = 'Pilot.eventsDropped';
/** Documents of a page beyond this are delayed: it may reload itself in a loop. */
export const DOCUMENT_BURST = 15;
export const DOCUMENTS_PER_SECOND = 2;
export const DELAY_MS = 1_000;
/** A page whose frames and workers had to be stopped more often than this is crashed. */
export const MAX_STOPS = 6;
/** A report after so many windows. */
const REPORT_WINDOWS = 4;
/** Popups of one page and of the popups that it opened; pages without an opener count for their context. */
export const POPUP_BURST = 5;
export const POPUPS_PER_SECOND = 0.2;
const UNOPENED_BURST = 40;
/** Ids of our own commands; Playwright counts up from 1. */
const FIRST_OWN_ID = 1_500_000_000;
const HEAD_BYTES = 400;
const TAIL_BYTES = 64;
const ATTACHED = 'Target.attachedToTarget';
const DETACHED = 'Target.detachedFromTarget';

/** @typedef {{targetId: string, type: string, openerId?: string, browserContextId?: string}} TargetInfo */

export class PipeFilter {
  /**
   * @param {(chunk: Buffer) => void} forward Gets the messages for Playwright, each with its terminator.
   * @param {(command: string) => void} send Sends a command to Chromium.
   * @param {() => number} now In milliseconds.
   */
  constructor(forward, send, now) {
    this.forward = forward;
    this.send = send;
    this.now = now;
    /** @type {Map<string, SessionLimits>} */
    this.sessions = new Map();
    /** The target of each session. @type {Map<string, string>} */
    this.targets = new Map();
    /** The first opener of each popup. @type {Map<string, string>} */
    this.openers = new Map();
    /** The page of each worker and frame, by targets. @type {Map<string, string>} */
    this.pages = new Map();
    /** @type {Map<string, TokenBucket>} */
    this.popups = new Map();
    /** The latest same-document navigation of each frame, by session. @type {Map<string, Map<string, Buffer>>} */
    this.held = new Map();
    /** @type {Buffer[]} */
    this.pending = [];
    this.pendingBytes = 0;
    this.skipping = false;
    this.lastId = FIRST_OWN_ID;
    /** Types of the targets. @type {Map<string, string>} */
    this.types = new Map();
    /** Sessions whose scripts were stopped, and whether that was reported. @type {Map<string, boolean>} */
    this.stopped = new Map();
    /** How often something of a page was stopped. @type {Map<string, number>} */
    this.stops = new Map();
    /** The buckets of the workers and frames of a page. @type {Map<string, Map<string, TokenBucket>>} */
    this.childBuckets = new Map();
    /** The documents of each session, as a bucket, and whether they are delayed now. @type {Map<string, {bucket: TokenBucket, delayed: boolean}>} */
    this.documents = new Map();
    this.windows = 0;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    /** @type {Buffer[]} */
    const passed = [];
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; start = end + 1, end = chunk.indexOf(0, start)) {
      this.#finish(chunk.subarray(start, end + 1), passed);
    }
    if (start < chunk.length) {
      this.#collect(chunk.subarray(start));
    }
    if (passed.length > 0) {
      this.forward(passed.length === 1 ? /** @type {Buffer} */ (passed[0]) : Buffer.concat(passed));
    }
  }

  /** The end of a window of `WINDOW_MS`. */
  endWindow() {
    for (const sessionId of [...this.held.keys()]) {
      this.#flushSession(sessionId);
    }
    for (const [sessionId, limits] of this.sessions) {
      if (limits.endWindow()) {
        this.#stop(sessionId);
      }
    }
    this.#endDelays();
    this.windows += 1;
    if (this.windows % REPORT_WINDOWS === 0) {
      this.#report();
    }
  }

  #report() {
    /** @type {Map<string, {dropped: Record<string, number>, stopped: boolean}>} */
    const reports = new Map();
    for (const [sessionId, limits] of this.sessions) {
      const dropped = Object.entries(limits.takeDropped());
      const target = this.targets.get(sessionId);
      const stopped = this.stopped.get(sessionId) === false;
      if (target === undefined || (dropped.length === 0 && !stopped)) {
        continue;
      }
      const page = this.#pageOf(target);
      const report = reports.get(page) ?? { dropped: {}, stopped: false };
      reports.set(page, report);
      report.stopped ||= stopped;
      if (stopped) {
        this.stopped.set(sessionId, true);
      }
      for (const [kind, count] of dropped) {
        // Playwright's session and ours see the same events: the larger number counts.
        report.dropped[kind] = Math.max(report.dropped[kind] ?? 0, count);
      }
    }
    for (const [target, params] of reports) {
      for (const [sessionId, attached] of this.targets) {
        if (attached === target) {
          this.#emit({ method: DROPPED_EVENT, params, sessionId });
        }
      }
    }
  }

  /**
   * Stop the scripts behind a session; a second time, also the one that runs; in the end, crash the page.
   * @param {string} sessionId
   */
  #stop(sessionId) {
    const target = this.targets.get(sessionId) ?? '';
    const type = this.types.get(target);
    const page = this.#pageOf(target);
    const stops = (this.stops.get(page) ?? 0) + 1;
    this.stops.set(page, stops);
    if (stops > MAX_STOPS) {
      for (const [other] of [...this.targets].filter(([, attached]) => attached === page)) {
        this.#command('Page.crash', {}, other);
      }
    }
    if (type === 'page' || type === 'iframe') {
      if (this.stopped.has(sessionId)) {
        this.#command('Runtime.terminateExecution', {}, sessionId);
      }
      this.#command('Emulation.setScriptExecutionDisabled', { value: true }, sessionId);
      // Requests that it has made already go on otherwise, thousands of them.
      this.#command('Page.stopLoading', {}, sessionId);
    } else if (type !== undefined) {
      this.#command('Debugger.enable', {}, sessionId);
      this.#command('Debugger.pause', {}, sessionId);
    }
    this.stopped.set(sessionId, this.stopped.get(sessionId) ?? false);
  }

  /** @param {string} sessionId */
  #allowScripts(sessionId) {
    this.stopped.delete(sessionId);
    this.stops.delete(this.#pageOf(this.targets.get(sessionId) ?? ''));
    this.#command('Emulation.setScriptExecutionDisabled', { value: false }, sessionId);
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {string} [sessionId]
   */
  #command(method, params, sessionId) {
    this.send(JSON.stringify({ id: ++this.lastId, method, params, sessionId }));
  }

  /** @param {Buffer} part */
  #collect(part) {
    if (this.skipping) {
      return;
    }
    this.pending.push(part);
    this.pendingBytes += part.length;
    if (this.pendingBytes > MAX_MESSAGE_BYTES) {
      const method = methodOf(headOf(this.#joined()));
      // Its session is at its end: the size alone decides, and nobody is charged for it.
      if (method !== undefined && LIMITS.has(method)) {
        this.skipping = true;
        this.pending = [];
        this.pendingBytes = 0;
      }
    }
  }

  /** @returns {Buffer} */
  #joined() {
    const joined = Buffer.concat(this.pending);
    this.pending = [joined];
    return joined;
  }

  /**
   * @param {Buffer} part The end of a message, with its terminator.
   * @param {Buffer[]} passed
   */
  #finish(part, passed) {
    const skipped = this.skipping;
    if (!skipped && this.pending.length > 0) {
      this.pending.push(part);
      part = Buffer.concat(this.pending);
    }
    this.pending = [];
    this.pendingBytes = 0;
    this.skipping = false;
    if (skipped) {
      this.#limitsOf(sessionOf(part)).count('other');
    } else if (this.#admits(part, passed)) {
      passed.push(part);
    }
  }

  /**
   * @param {Buffer} message
   * @param {Buffer[]} passed
   * @returns {boolean}
   */
  #admits(message, passed) {
    const head = headOf(message);
    const method = methodOf(head);
    if (method === undefined) {
      const id = /^\{"id":(\d+)/.exec(head);
      return id === null || Number(id[1]) < FIRST_OWN_ID;
    }
    if (method === ATTACHED || method === DETACHED) {
      return this.#targetChanged(method, JSON.parse(message.toString('utf8', 0, message.length - 1)));
    }
    const sessionId = sessionOf(message);
    if (this.stopped.has(sessionId) && this.#opensDocument(method, head, sessionId)) {
      this.#allowScripts(sessionId);
    }
    if (isNavigation(method, head)) {
      this.#countDocument(sessionId);
    }
    const admitted = this.#limitsOf(sessionId).admits(method, head, message.length, this.now());
    if (method === HELD.method) {
      if (!admitted) {
        this.#hold(sessionId, head, message);
      } else {
        this.held.delete(sessionId);
      }
    } else if (method.startsWith('Page.frame') && this.held.has(sessionId)) {
      this.#flushSession(sessionId, passed);
    }
    return admitted;
  }

  /**
   * Delay the requests of a page that navigates too often, until it has come to rest.
   * @param {string} sessionId
   */
  #countDocument(sessionId) {
    const bucket = new TokenBucket(DOCUMENT_BURST, DOCUMENTS_PER_SECOND, this.now());
    const documents = this.documents.get(sessionId) ?? { bucket, delayed: false };
    this.documents.set(sessionId, documents);
    if (!documents.bucket.take(this.now()) && !documents.delayed) {
      documents.delayed = true;
      this.#delay(sessionId, DELAY_MS);
    }
  }

  #endDelays() {
    for (const [sessionId, documents] of this.documents) {
      if (documents.delayed && documents.bucket.level(this.now()) > DOCUMENT_BURST / 2) {
        documents.delayed = false;
        this.#delay(sessionId, 0);
      }
    }
  }

  /**
   * @param {string} sessionId
   * @param {number} latency
   */
  #delay(sessionId, latency) {
    const unlimited = { downloadThroughput: -1, uploadThroughput: -1 };
    this.#command('Network.emulateNetworkConditions', { offline: false, latency, ...unlimited }, sessionId);
  }

  /**
   * Whether the event begins another document in the session's own frame.
   * @param {string} method
   * @param {string} head
   * @param {string} sessionId
   * @returns {boolean}
   */
  #opensDocument(method, head, sessionId) {
    const frame = this.targets.get(sessionId) ?? '';
    return isNavigation(method, head) || (method === "Page.frameNavigated" && head.includes(`"frame":{"id":"${frame}"`));
  }

  /**
   * @param {string} sessionId
   * @param {string} head
   * @param {Buffer} message
   */
  #hold(sessionId, head, message) {
    const frame = /"frameId":"([^"]*)"/.exec(head)?.[1] ?? "";
    const held = this.held.get(sessionId) ?? new Map();
    // A copy: the chunk that it is a part of may be large.
    held.set(frame, Buffer.from(message));
    this.held.set(sessionId, held);
  }

  /**
   * @param {string} sessionId
   * @param {Buffer[]} [passed]
   */
  #flushSession(sessionId, passed) {
    const messages = [...(this.held.get(sessionId)?.values() ?? [])];
    this.held.delete(sessionId);
    if (passed === undefined) {
      this.forward(Buffer.concat(messages));
    } else {
      passed.push(...messages);
    }
  }

  /**
   * The target of the page that a worker's or a frame's target belongs to.
   * @param {string} target
   * @returns {string}
   */
  #pageOf(target) {
    return this.pages.get(target) ?? target;
  }

  /** @param {string} sessionId @returns {SessionLimits} */
  #limitsOf(sessionId) {
    let limits = this.sessions.get(sessionId);
    if (limits === undefined) {
      const page = this.pages.get(this.targets.get(sessionId) ?? '');
      const shared = page === undefined ? undefined : (this.childBuckets.get(page) ?? new Map());
      if (page !== undefined && shared !== undefined) {
        this.childBuckets.set(page, shared);
      }
      limits = new SessionLimits(shared);
      this.sessions.set(sessionId, limits);
    }
    return limits;
  }

  /**
   * @param {string} method
   * @param {{params: {sessionId: string, targetInfo?: TargetInfo}, sessionId?: string}} event
   * @returns {boolean} Whether Playwright gets it.
   */
  #targetChanged(method, event) {
    const { sessionId, targetInfo: info } = event.params;
    if (method === DETACHED || info === undefined) {
      const target = this.targets.get(sessionId);
      this.targets.delete(sessionId);
      this.sessions.delete(sessionId);
      this.held.delete(sessionId);
      this.stopped.delete(sessionId);
      this.documents.delete(sessionId);
      if (target !== undefined && ![...this.targets.values()].includes(target)) {
        this.openers.delete(target);
        this.pages.delete(target);
        this.stops.delete(target);
        this.childBuckets.delete(target);
        this.popups.delete(target);
        this.types.delete(target);
      }
      return true;
    }
    const parent = event.sessionId === undefined ? undefined : this.targets.get(event.sessionId);
    const isNew = ![...this.targets.values()].includes(info.targetId);
    if (parent !== undefined && this.types.get(parent) !== 'browser' && info.type !== 'page') {
      // A worker or a frame in another process: its events count for the page.
      this.pages.set(info.targetId, this.#pageOf(parent));
      this.#limitsOf(event.sessionId ?? '').weight += WORKER_WEIGHT;
    } else if (info.type === 'page' && isNew && !this.#mayOpen(info)) {
      // It waits for its debugger, and the page that opened it may wait with it.
      this.#command('Runtime.runIfWaitingForDebugger', {}, sessionId);
      this.#command('Target.closeTarget', { targetId: info.targetId });
      return false;
    }
    this.targets.set(sessionId, info.targetId);
    this.types.set(info.targetId, info.type);
    return true;
  }

  /** @param {TargetInfo} info @returns {boolean} */
  #mayOpen(info) {
    const { openerId } = info;
    const owner = openerId === undefined ? `context ${info.browserContextId}` : (this.openers.get(openerId) ?? openerId);
    let bucket = this.popups.get(owner);
    if (bucket === undefined) {
      bucket = new TokenBucket(openerId === undefined ? UNOPENED_BURST : POPUP_BURST, POPUPS_PER_SECOND, this.now());
      this.popups.set(owner, bucket);
    }
    if (bucket.take(this.now())) {
      if (openerId !== undefined) {
        this.openers.set(info.targetId, owner);
      }
      return true;
    }
    for (const [sessionId, target] of this.targets) {
      if (target === owner) {
        this.#limitsOf(sessionId).count('popup');
        this.#limitsOf(sessionId).weight += POPUP_WEIGHT;
      }
    }
    return false;
  }

  /** @param {object} event */
  #emit(event) {
    this.forward(Buffer.from(`${JSON.stringify(event)}\0`));
  }
}

/** @param {Buffer} message @returns {string} */
function headOf(message) {
  return message.toString('latin1', 0, Math.min(HEAD_BYTES, message.length));
}

/** @param {string} head @returns {string | undefined} */
function methodOf(head) {
  return head.startsWith('{"method":"') ? head.slice(11, head.indexOf('"', 11)) : undefined;
}

/** @param {Buffer} message @returns {string} */
function sessionOf(message) {
  const tail = message.toString('latin1', Math.max(0, message.length - TAIL_BYTES));
  return /"sessionId":"([0-9A-F]+)"\}\0$/.exec(tail)?.[1] ?? "";
}
