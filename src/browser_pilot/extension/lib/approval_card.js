/**
 * One question that waits for the user, as a card. Knows nothing of chrome.*, so that any page of ours can show it.
 *
 * Only a person answers: a press that a script made does not count, and neither does one in the moment in which the card appears,
 * because it was meant for whatever was there before. The buttons show that moment: they are off.
 */

import { make } from './parts.js';
import { text } from './texts.js';

const SETTLE_MS = 500;
const KEYS = { once: 'A', session: 'S', deny: 'D' };
const LABELS = { once: 'choiceOnce', session: 'choiceSession', always: 'choiceAlways', deny: 'choiceDeny', block: 'choiceBlock' };
const RISKS = { high: 'riskHigh', medium: 'riskMedium', low: 'riskLow' };
/** The safe choice is as easy to reach as the other. */
const ORDER = /** @type {const} */ (['once', 'deny', 'session', 'block', 'always']);

/** @typedef {'once' | 'session' | 'always' | 'deny' | 'block'} Choice */
/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} client_name
 * @property {string} what
 * @property {string} site
 * @property {Record<string, string>} values
 * @property {string[]} steps
 * @property {'low' | 'medium' | 'high'} risk
 * @property {string} reason
 * @property {string} rule
 * @property {Choice[]} choices
 * @property {Partial<Record<Choice, string>>} labels
 * @property {string | null} picture
 * @property {number} asked_at
 * @property {number} expires_at
 */

/** The choice that a key stands for, if the question has it. @param {Question} question @param {string} key @returns {Choice | undefined} */
export function choiceOfKey(question, key) {
  const wanted = key.toUpperCase();
  return question.choices.find((choice) => choice in KEYS && KEYS[/** @type {keyof typeof KEYS} */ (choice)] === wanted);
}

/** What is said aloud when the question comes. @param {Question} question */
export function announcement(question) {
  return `${text('needsYou')}: ${text('wants', question.client_name)} ${question.what}. ${question.site}. ${text(RISKS[question.risk])}.`;
}

/** @param {Question} question @param {(choice: Choice) => void} choose @param {number} now in seconds */
export function approvalCard(question, choose, now) {
  const risk = make('span', { class: 'risk', 'data-risk': question.risk }, text(RISKS[question.risk]));
  const title = make('h3', { id: `q-${question.id}` }, question.what);
  const card = make('article', { class: 'question', 'data-risk': question.risk, 'data-id': question.id, 'aria-labelledby': title.id },
    make('header', {}, make('span', { class: 'muted' }, text('wants', question.client_name)), risk),
    title, make('p', { class: 'address' }, question.site));
  if (question.picture) card.append(make('img', { alt: text('pictureOf', question.what), hidden: '' }));
  const values = Object.entries(question.values);
  if (values.length) card.append(make('dl', {}, ...values.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])));
  if (question.steps.length) card.append(make('ol', {}, ...question.steps.map((step) => make('li', {}, step))));
  card.append(make('p', {}, text('why', question.reason)), make('p', { class: 'muted small' }, text('byRule', question.rule)));
  const choices = make('div', { class: 'choices' });
  for (const choice of ORDER.filter((one) => question.choices.includes(one))) {
    const look = choice === 'once' ? 'main' : choice === 'block' ? 'danger' : '';
    const button = make('button', { class: look, 'data-choice': choice }, question.labels[choice] ?? text(LABELS[choice]));
    if (choice in KEYS) {
      const key = KEYS[/** @type {keyof typeof KEYS} */ (choice)];
      button.setAttribute('aria-keyshortcuts', key);
      button.append(make('kbd', { 'aria-hidden': 'true' }, key));
    }
    button.addEventListener('click', (event) => {
      if (event.isTrusted && takesPresses(card)) choose(choice);
    });
    choices.append(button);
  }
  card.append(choices, make('div', { class: 'row' },
    make('div', { class: 'countdown grow', role: 'presentation' }, make('i')), make('span', { class: 'muted small left' })));
  countDown(card, question, now);
  settle(card);
  return card;
}

/** @type {WeakMap<HTMLElement, number>} the timer of each card that is not ready yet */
const settling = new WeakMap();

/** The card has just come before the user's eyes: presses count when there was time to see it. @param {HTMLElement} card */
export function settle(card) {
  if (card.dataset.presses === 'over') return;
  clearTimeout(settling.get(card));
  takePresses(card, 'not yet');
  settling.set(card, setTimeout(() => takePresses(card, 'count'), SETTLE_MS));
}

/** The card is answered: no press counts any more. @param {HTMLElement} card */
export function close(card) {
  clearTimeout(settling.get(card));
  takePresses(card, 'over');
}

/** @param {HTMLElement} card */
export function takesPresses(card) {
  return card.dataset.presses === 'count';
}

/** @param {HTMLElement} card @param {'not yet' | 'count' | 'over'} how */
function takePresses(card, how) {
  card.dataset.presses = how;
  for (const button of card.querySelectorAll('button')) button.disabled = how !== 'count';
}

/** @param {HTMLElement} card @param {Question} question @param {number} now in seconds */
export function countDown(card, question, now) {
  const left = Math.max(0, Math.ceil(question.expires_at - now));
  const whole = Math.max(1, question.expires_at - question.asked_at);
  const words = card.querySelector('.left');
  const bar = card.querySelector('.countdown i');
  if (words instanceof HTMLElement && words.textContent !== text('expiresIn', left)) {
    words.textContent = text('expiresIn', left);
    words.ariaLabel = text('expiresLabel', left);
  }
  if (bar instanceof HTMLElement) bar.style.width = `${Math.min(100, (100 * (question.expires_at - now)) / whole)}%`;
}
