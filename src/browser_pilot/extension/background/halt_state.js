/**
 * The user's Pause and Stop. Stored in this browser and enforced here, until the user resumes: neither a hub that hangs nor one that
 * restarts can change it.
 */

const KEY = 'halted';

/** @typedef {'' | 'paused' | 'stopped'} Halted */

/** @type {Record<string, Halted>} */
const COMMANDS = { pause: 'paused', stop: 'stopped', resume: '' };

/** The state that a command of the user leads to; undefined for any other command. @param {unknown} command @returns {Halted | undefined} */
export function haltedBy(command) {
  return typeof command === 'string' && Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
}

export class HaltState {
  /** @param {import('./controlled_tabs.js').Storage} storage */
  constructor(storage) {
    this.storage = storage;
    /** @type {Halted} */
    this.value = '';
  }

  async load() {
    const stored = (await this.storage.get(KEY))[KEY];
    this.value = stored === 'paused' || stored === 'stopped' ? stored : '';
  }

  /** Holds at once; resolves when it is stored. @param {Halted} value */
  set(value) {
    this.value = value;
    return this.storage.set({ [KEY]: value });
  }

  /** Why the hub may do nothing now; empty while agents may work. The hub recognizes the beginning of the sentence. */
  get reason() {
    if (this.value === 'paused') return 'Browser Pilot is paused: The user has paused all agents in this browser.';
    return this.value === 'stopped' ? 'Browser Pilot is stopped: The user has stopped all agents in this browser.' : '';
  }
}
