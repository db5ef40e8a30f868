/**
 * One approval request as a card. Uses no chrome.*, so that every page can show it.
 *
 * Only a person decides: clicks made by a script are ignored, and so are clicks right after the card appeared, because they were meant
 * for what was there before. Until then the buttons are disabled.
 */

import { createElement } from './dom.js';
import { getMessage } from './i18n.js';

const ACTIVATION_DELAY_MS = 500;
const SHORTCUTS = { once: 'A', session: 'S', deny: 'D' };
const LABELS = { once: 'choiceOnce', session: 'choiceSession', always: 'choiceAlways', deny: 'choiceDeny', block: 'choiceBlock' };
const RISKS = { high: 'riskHigh', medium: 'riskMedium', low: 'riskLow' };
/** The safe choice is as easy to reach as the other. */
const ORDER = /** @type {const} */ (['once', 'deny', 'session', 'block', 'always']);

/** @typedef {'once' | 'session' | 'always' | 'deny' | 'block'} Choice */
/**
 * @typedef {object} ApprovalRequest
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

/** The choice that a key stands for, if the request offers it. @param {ApprovalRequest} request @param {string} key @returns {Choice | undefined} */
export function choiceForKey(request, key) {
  const pressed = key.toUpperCase();
  return request.choices.find((choice) => choice in SHORTCUTS && SHORTCUTS[/** @type {keyof typeof SHORTCUTS} */ (choice)] === pressed);
}

/** What screen readers say when the request arrives. @param {ApprovalRequest} request */
export function announcement(request) {
  return `${getMessage('needsYou')}: ${getMessage('wantsTo', request.client_name)} ${request.what}. ${request.site}. ${getMessage(RISKS[request.risk])}.`;
}

/** @param {ApprovalRequest} request @param {(choice: Choice) => void} decide @param {number} now in seconds */
export function createApprovalCard(request, decide, now) {
  const risk = createElement('span', { class: 'risk', 'data-risk': request.risk }, getMessage(RISKS[request.risk]));
  const title = createElement('h3', { id: `approval-${request.id}` }, request.what);
  const card = createElement('article', { class: 'approval', 'data-risk': request.risk, 'data-id': request.id, 'aria-labelledby': title.id },
    createElement('header', {}, createElement('span', { class: 'muted' }, getMessage('wantsTo', request.client_name)), risk),
    title, createElement('p', { class: 'address' }, request.site));
  if (request.picture) card.append(createElement('img', { alt: getMessage('pictureOf', request.what), hidden: '' }));
  const values = Object.entries(request.values);
  if (values.length) card.append(createElement('dl', {}, ...values.flatMap(([name, value]) => [createElement('dt', {}, name), createElement('dd', {}, value)])));
  if (request.steps.length) card.append(createElement('ol', {}, ...request.steps.map((step) => createElement('li', {}, step))));
  card.append(createElement('p', {}, getMessage('reason', request.reason)), createElement('p', { class: 'muted small' }, getMessage('byRule', request.rule)));
  const choices = createElement('div', { class: 'choices' });
  for (const choice of ORDER.filter((one) => request.choices.includes(one))) choices.append(createButton(card, request, choice, decide));
  card.append(choices, createElement('div', { class: 'row' },
    createElement('div', { class: 'countdown grow', role: 'presentation' }, createElement('i')), createElement('span', { class: 'muted small time-left' })));
  updateCountdown(card, request, now);
  delayActivation(card);
  return card;
}

/** @param {HTMLElement} card @param {ApprovalRequest} request @param {Choice} choice @param {(choice: Choice) => void} decide */
function createButton(card, request, choice, decide) {
  const style = choice === 'once' ? 'main' : choice === 'block' ? 'danger' : '';
  const button = createElement('button', { class: style, 'data-choice': choice }, request.labels[choice] ?? getMessage(LABELS[choice]));
  if (choice in SHORTCUTS) {
    const key = SHORTCUTS[/** @type {keyof typeof SHORTCUTS} */ (choice)];
    button.setAttribute('aria-keyshortcuts', key);
    button.append(createElement('kbd', { 'aria-hidden': 'true' }, key));
  }
  button.addEventListener('click', (event) => {
    if (event.isTrusted && isActive(card)) decide(choice);
  });
  return button;
}

/** @type {WeakMap<HTMLElement, number>} the timer of each card that is not active yet */
const timers = new WeakMap();

/** For a card that has just become visible: ignores input until the user had time to see it. @param {HTMLElement} card */
export function delayActivation(card) {
  if (card.dataset.activation === 'closed') return;
  clearTimeout(timers.get(card));
  setActivation(card, 'pending');
  timers.set(card, setTimeout(() => setActivation(card, 'active'), ACTIVATION_DELAY_MS));
}

/** For a card that was decided: ignores all further input. @param {HTMLElement} card */
export function closeCard(card) {
  clearTimeout(timers.get(card));
  setActivation(card, 'closed');
}

/** @param {HTMLElement} card */
export function isActive(card) {
  return card.dataset.activation === 'active';
}

/** @param {HTMLElement} card @param {'pending' | 'active' | 'closed'} activation */
function setActivation(card, activation) {
  card.dataset.activation = activation;
  for (const button of card.querySelectorAll('button')) button.disabled = activation !== 'active';
}

/** @param {HTMLElement} card @param {ApprovalRequest} request @param {number} now in seconds */
export function updateCountdown(card, request, now) {
  const left = Math.max(0, Math.ceil(request.expires_at - now));
  const total = Math.max(1, request.expires_at - request.asked_at);
  const label = card.querySelector('.time-left');
  const bar = card.querySelector('.countdown i');
  if (label instanceof HTMLElement && label.textContent !== getMessage('expiresIn', left)) {
    label.textContent = getMessage('expiresIn', left);
    label.ariaLabel = getMessage('expiresLabel', left);
  }
  if (bar instanceof HTMLElement) bar.style.width = `${Math.min(100, (100 * (request.expires_at - now)) / total)}%`;
}
