/**
 * Two ways between the page that holds the connection and the worker: a port of chrome.runtime, which wakes the worker and tells when
 * it dies, and a message channel past the browser process, which is many times faster. Messages keep their order when the way
 * changes: each end says on the slow way that from now on it uses the fast one, and waits for the other to say so.
 *
 * Its life is that of the slow port. Knows nothing of what the messages mean.
 */

/** @typedef {{ postMessage(message: unknown): void }} Slow */
/** @typedef {{ postMessage(message: unknown): void, onmessage: ((event: MessageEvent) => void) | null }} Fast */

export class Passage {
  /** @param {Slow} slow @param {(message: any) => void} receive */
  constructor(slow, receive) {
    this.slow = slow;
    this.receive = receive;
    /** @type {Fast | null} */
    this.fast = null;
    /** What the fast way offers; used once the other end has it. @type {Fast | null} */
    this.offered = null;
    this.otherSwitched = false;
    /** @type {unknown[]} */
    this.early = [];
  }

  /** @param {unknown} message */
  send(message) {
    (this.fast ?? this.slow).postMessage(message);
  }

  /** This end made the channel: listen there, and send there once the other end does. @param {Fast} fast */
  offer(fast) {
    this.offered = fast;
    this.listen(fast);
  }

  /** This end was given the channel: use it from now on. @param {Fast} fast */
  open(fast) {
    this.listen(fast);
    this.change(fast);
  }

  /** @param {Fast} fast */
  listen(fast) {
    fast.onmessage = (event) => {
      if (this.otherSwitched) this.receive(event.data);
      else this.early.push(event.data);
    };
  }

  /** @param {Fast} fast */
  change(fast) {
    this.slow.postMessage({ switched: true });
    this.fast = fast;
  }

  /** @param {any} message what came the slow way */
  fromSlow(message) {
    if (!message.switched) return this.receive(message);
    this.otherSwitched = true;
    for (const one of this.early.splice(0)) this.receive(one);
    if (this.offered && !this.fast) this.change(this.offered);
  }
}
