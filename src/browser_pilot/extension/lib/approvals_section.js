/**
 * The questions that wait, as cards in `#questions`: shown, announced, counted down, answered by a press or a key. The same in the side
 * panel and on the dashboard. Knows nothing of chrome.*.
 */

import { announcement, approvalCard, choiceOfKey, close, countDown, settle, takesPresses } from './approval_card.js';
import { make, part, say, show } from './parts.js';
import { text } from './texts.js';

/** @typedef {import('./approval_card.js').Question} Question */
/** @typedef {import('./approval_card.js').Choice} Choice */
/** @typedef {(name: string, params: Record<string, unknown>) => Promise<any>} Ask asks the hub; throws with a sentence for the user */

export class QuestionsSection {
  /** @param {Ask} ask @param {() => Promise<void>} refresh */
  constructor(ask, refresh) {
    this.ask = ask;
    this.refresh = refresh;
    /** @type {Map<string, { question: Question, card: HTMLElement }>} */
    this.shown = new Map();
    document.addEventListener('keydown', (event) => this.press(event));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') for (const { card } of this.shown.values()) settle(card);
    });
  }

  /** @param {Question[]} questions */
  render(questions) {
    const now = Date.now() / 1000;
    for (const [id, { card }] of this.shown) {
      if (questions.some((question) => question.id === id)) continue;
      card.remove();
      this.shown.delete(id);
    }
    for (const question of questions) {
      const known = this.shown.get(question.id);
      if (known) countDown(known.card, question, now);
      else this.add(question, now);
    }
    show('questions-section', questions.length > 0);
    if (questions.length === 0) say('announce', '');
  }

  /** @param {Question} question @param {number} now */
  add(question, now) {
    const card = approvalCard(question, (choice) => void this.answer(question.id, choice), now);
    this.shown.set(question.id, { question, card });
    part('questions', HTMLElement).append(card);
    say('announce', announcement(question));
    if (question.picture) void this.showPicture(question.id, card);
  }

  /** @param {string} id @param {HTMLElement} card */
  async showPicture(id, card) {
    const { png } = await this.ask('picture', { id }).catch(() => ({ png: null }));
    const image = card.querySelector('img');
    if (!png || !image) return;
    image.src = `data:image/png;base64,${png}`;
    image.hidden = false;
  }

  /** @param {string} id @param {Choice} choice */
  async answer(id, choice) {
    const card = this.shown.get(id)?.card;
    if (card) close(card);
    try {
      await this.ask('answer', { id, choice });
      say('announce', text('answered'));
    } catch (error) {
      card?.append(make('p', { class: 'notice stop', role: 'alert' }, error instanceof Error ? error.message : text('tooLate')));
    }
    await this.refresh();
  }

  /** A key answers the first question, when the user is not writing and had time to see it. @param {KeyboardEvent} event */
  press(event) {
    if (!event.isTrusted || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const [first] = this.shown.values();
    const choice = first && takesPresses(first.card) ? choiceOfKey(first.question, event.key) : undefined;
    if (first && choice) void this.answer(first.question.id, choice);
  }
}
