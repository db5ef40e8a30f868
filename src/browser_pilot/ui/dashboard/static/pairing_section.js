/** Pairing a browser: shows the hub's code while it is valid, and offers it to the extension if this browser has it. */

import { byId, onClick, setText, setVisible } from '../../../extension/lib/dom.js';
import { getMessage } from '../../../extension/lib/i18n.js';
import { pairingView } from './dashboard_view.js';

/** @typedef {import('./dashboard_view.js').DashboardState} DashboardState */

export class PairingSection {
  /** @param {import('../../../extension/lib/approvals_section.js').HubRequest} request @param {() => Promise<void>} refresh */
  constructor(request, refresh) {
    this.request = request;
    this.refresh = refresh;
    /** The browsers that were paired when this pairing started. @type {Set<string> | null} */
    this.before = null;
    this.note = { note: '', kind: '' };
    /** @type {DashboardState | null} */
    this.state = null;
    onClick('pair-start', () => this.start());
    onClick('pair-here', () => this.offerCode());
    onClick('pair-copy', () => this.copyCode());
  }

  /** @param {DashboardState} state @param {number} now in seconds */
  render(state, now) {
    this.state = state;
    if (state.pairing && this.before === null) this.begin(state);
    const view = pairingView(this.before, state, now);
    if (view.done) {
      this.before = null;
      this.note = view;
    }
    const wasVisible = !byId('pairing', HTMLElement).hidden;
    setVisible('pairing', view.code !== '');
    setVisible('pair-start', view.code === '');
    setText('pairing-code', view.code);
    setText('pairing-expiry', view.expiry);
    setVisible('pair-here', hasExtension());
    if (view.code && !wasVisible) setText('pair-copy', getMessage('copyCode'));
    this.showNote();
  }

  /** @param {DashboardState} state */
  begin(state) {
    this.before = new Set(state.browsers.map((browser) => browser.id));
    this.note = { note: '', kind: '' };
  }

  showNote() {
    const { note, kind } = this.note;
    setVisible('pairing-note', note !== '');
    setText('pairing-note', note);
    byId('pairing-note', HTMLElement).className = `notice ${kind || 'info'}`;
  }

  async start() {
    if (this.state) this.begin(this.state);
    try {
      await this.request('pair', {});
    } catch (error) {
      this.note = { note: error instanceof Error ? error.message : String(error), kind: 'stop' };
    }
    await this.refresh();
    (hasExtension() ? byId('pair-here', HTMLElement) : byId('pair-copy', HTMLElement)).focus();
  }

  /** The extension opens its options with the code filled in; the user confirms there. */
  async offerCode() {
    const { extension, pairing } = this.state ?? {};
    if (!extension || !pairing) return;
    const response = await chrome.runtime.sendMessage(extension, { pair: pairing.code }).catch(() => null);
    this.note = pairingNote(response, location.host);
    this.showNote();
  }

  async copyCode() {
    await navigator.clipboard.writeText(this.state?.pairing?.code ?? '');
    setText('pair-copy', getMessage('copied'));
  }
}

/** @param {{ refused?: string } | null | undefined} response @param {string} host @returns {{ note: string, kind: string }} */
function pairingNote(response, host) {
  if (response?.refused === '') return { note: getMessage('pairOffered'), kind: 'info' };
  if (response?.refused === 'paired') return { note: getMessage('pairAlreadyPaired'), kind: 'stop' };
  if (response?.refused === 'other_server') return { note: getMessage('pairOtherServer', host), kind: 'stop' };
  return { note: getMessage('pairNoExtension'), kind: 'stop' };
}

/** Whether an extension in this browser accepts messages of this page; Chrome shows no more than that in advance. */
function hasExtension() {
  return typeof globalThis.chrome?.runtime?.sendMessage === 'function';
}
