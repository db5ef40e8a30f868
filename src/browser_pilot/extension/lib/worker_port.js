/**
 * The connection between the offscreen document and the service worker. It starts on a chrome.runtime port, which wakes the worker and
 * reports its end, and moves to a MessageChannel, which bypasses the browser process and is many times faster.
 *
 * Messages keep their order during the switch: each end announces on the port that it uses the channel from now on, and delivers what
 * arrives there only after the other end's announcement. Lives as long as the port. Does not interpret the messages.
 */

/** @typedef {{ postMessage(message: unknown): void }} RuntimePort */
/** @typedef {{ postMessage(message: unknown): void, onmessage: ((event: MessageEvent) => void) | null }} Channel one end of a MessageChannel */

export class WorkerPort {
  /** @param {RuntimePort} port @param {(message: any) => void} receive */
  constructor(port, receive) {
    this.port = port;
    this.receive = receive;
    /** Set when this end sends on it. @type {Channel | null} */
    this.channel = null;
    /** Used once the other end has announced its switch. @type {Channel | null} */
    this.offered = null;
    this.peerSwitched = false;
    /** Arrived on the channel before the other end's announcement. @type {unknown[]} */
    this.early = [];
  }

  /** @param {unknown} message */
  send(message) {
    (this.channel ?? this.port).postMessage(message);
  }

  /** For the end that created the channel: listen now, send there once the other end has switched. @param {Channel} channel */
  offerChannel(channel) {
    this.offered = channel;
    this.listen(channel);
  }

  /** For the end that received the channel: use it from now on. @param {Channel} channel */
  acceptChannel(channel) {
    this.listen(channel);
    this.switchTo(channel);
  }

  /** @param {Channel} channel */
  listen(channel) {
    channel.onmessage = (event) => {
      if (this.peerSwitched) this.receive(event.data);
      else this.early.push(event.data);
    };
  }

  /** @param {Channel} channel */
  switchTo(channel) {
    this.port.postMessage({ switched: true });
    this.channel = channel;
  }

  /** @param {any} message one that arrived on the port */
  onPortMessage(message) {
    if (!message.switched) return this.receive(message);
    this.peerSwitched = true;
    for (const one of this.early.splice(0)) this.receive(one);
    if (this.offered && !this.channel) this.switchTo(this.offered);
  }
}
