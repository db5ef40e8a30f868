/**
 * The pending approval requests as cards in `#approvals`: shown, announced, counted down, and decided by click or key. The same in the
 * side panel and on the dashboard. Uses no chrome.*.
 */

import { announcement, canChoose, choiceForKey, closeCard, createApprovalCard, delayActivation, updateCountdown } from './approval_card.js';
import { byId, createElement, setText, setVisible } from './dom.js';
import { getMessage } from './i18n.js';

/** @typedef {import('./approval_card.js').ApprovalRequest} ApprovalRequest */
/** @typedef {import('./approval_card.js').Choice} Choice */
/** @typedef {(name: string, params: Record<string, unknown>) => Promise<any>} HubRequest sends a request to the hub; rejects with a sentence for the user */

export class ApprovalsSection {
  /** @param {HubRequest} request @param {() => Promise<void>} refresh */
  constructor(request, refresh) {
    this.request = request;
    this.refresh = refresh;
    /** @type {Map<string, { approval: ApprovalRequest, card: HTMLElement }>} */
    this.shown = new Map();
    document.addEventListener('keydown', (event) => this.onKey(event));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') for (const { card } of this.shown.values()) delayActivation(card);
    });
  }

  /** @param {ApprovalRequest[]} approvals */
  render(approvals) {
    const now = Date.now() / 1000;
    for (const [id, { card }] of this.shown) {
      if (approvals.some((approval) => approval.id === id)) continue;
      card.remove();
      this.shown.delete(id);
    }
    /** @type {HTMLElement[]} */
    const added = [];
    for (const approval of approvals) {
      const known = this.shown.get(approval.id);
      if (known) updateCountdown(known.card, approval, now);
      else added.push(this.add(approval, now));
    }
    setVisible('approvals-section', approvals.length > 0);
    added[0]?.scrollIntoView({ block: 'nearest' });
    if (approvals.length === 0) setText('announce', '');
  }

  /** @param {ApprovalRequest} approval @param {number} now */
  add(approval, now) {
    const card = createApprovalCard(approval, (choice) => void this.decide(approval.id, choice), now);
    this.shown.set(approval.id, { approval, card });
    byId('approvals', HTMLElement).append(card);
    setText('announce', announcement(approval));
    if (approval.picture) void this.showPicture(approval.id, card);
    return card;
  }

  /** @param {string} id @param {HTMLElement} card */
  async showPicture(id, card) {
    const { png } = await this.request('picture', { id }).catch(() => ({ png: null }));
    const image = card.querySelector('img');
    if (!png || !image) return;
    image.src = `data:image/png;base64,${png}`;
    image.hidden = false;
  }

  /** @param {string} id @param {Choice} choice */
  async decide(id, choice) {
    const card = this.shown.get(id)?.card;
    if (card) closeCard(card);
    try {
      await this.request('decide', { id, choice });
      setText('announce', getMessage('decided'));
    } catch (error) {
      card?.append(createElement('p', { class: 'notice stop', role: 'alert' }, error instanceof Error ? error.message : getMessage('notPending')));
    }
    await this.refresh();
  }

  /** A key decides the first request, unless the user is typing or the card is not active yet. @param {KeyboardEvent} event */
  onKey(event) {
    if (!event.isTrusted || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const [first] = this.shown.values();
    const choice = first && choiceForKey(first.approval, event.key);
    if (first && choice && canChoose(first.card, choice)) void this.decide(first.approval.id, choice);
  }
}
