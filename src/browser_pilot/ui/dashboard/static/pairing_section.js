/** Pairing a browser: shows the hub's code while it is good, and hands it to the extension where this browser has it. */

import { part, say, show } from '../../extension/parts.js';
import { text } from '../../extension/texts.js';
import { pairingView } from './dashboard_view.js';

/** @typedef {import('./dashboard_view.js').HubState} HubState */

export class PairSection {
  /** @param {import('../../extension/questions_section.js').Ask} ask @param {() => Promise<void>} refresh */
  constructor(ask, refresh) {
    this.ask = ask;
    this.refresh = refresh;
    /** The browsers that were there when the pairing began. @type {Set<string> | null} */
    this.before = null;
    /** What is said beside the code, or after it. */
    this.said = { note: '', kind: '' };
    /** @type {HubState | null} */
    this.state = null;
    part('pair-start', HTMLElement).addEventListener('click', () => void this.start());
    part('pair-here', HTMLElement).addEventListener('click', () => void this.hand());
    part('pair-copy', HTMLElement).addEventListener('click', () => void this.copy());
  }

  /** @param {HubState} state @param {number} now in seconds */
  render(state, now) {
    this.state = state;
    if (state.pairing && this.before === null) this.begin(state);
    const view = pairingView(this.before, state, now);
    if (view.over) {
      this.before = null;
      this.said = view;
    }
    const wasOpen = !part('pairing', HTMLElement).hidden;
    show('pairing', view.code !== '');
    show('pair-start', view.code === '');
    say('pairing-code', view.code);
    say('pairing-left', view.left);
    show('pair-here', hasExtension());
    if (view.code && !wasOpen) say('pair-copy', text('copyCode'));
    this.tell();
  }

  /** @param {HubState} state */
  begin(state) {
    this.before = new Set(state.browsers.map((browser) => browser.id));
    this.said = { note: '', kind: '' };
  }

  tell() {
    show('pairing-note', this.said.note !== '');
    say('pairing-note', this.said.note);
    part('pairing-note', HTMLElement).className = `notice ${this.said.kind || 'info'}`;
  }

  async start() {
    if (this.state) this.begin(this.state);
    try {
      await this.ask('pair', {});
    } catch (error) {
      this.said = { note: error instanceof Error ? error.message : String(error), kind: 'stop' };
    }
    await this.refresh();
    (hasExtension() ? part('pair-here', HTMLElement) : part('pair-copy', HTMLElement)).focus();
  }

  /** The extension opens its settings with the code filled in; the user presses "Pair" there. */
  async hand() {
    const { extension, pairing } = this.state ?? {};
    if (!extension || !pairing) return;
    const taken = await chrome.runtime.sendMessage(extension, { pair: pairing.code }).catch(() => false);
    this.said = taken ? { note: text('pairHanded'), kind: 'info' } : { note: text('pairNoExtension'), kind: 'stop' };
    this.tell();
  }

  async copy() {
    await navigator.clipboard.writeText(this.state?.pairing?.code ?? '');
    say('pair-copy', text('copied'));
  }
}

/** Whether an extension in this browser listens to this page: Chrome tells no more than that before it is spoken to. */
function hasExtension() {
  return typeof globalThis.chrome?.runtime?.sendMessage === 'function';
}
