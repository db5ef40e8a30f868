/**
 * One approval request as a card. Uses no chrome.*, so that every page can show it.
 *
 * Nothing is cut. A long value is collapsed, and the request can be allowed only after every collapsed value was shown.
 *
 * Only a person decides: clicks made by a script are ignored, and so are clicks right after the card appeared, because they were meant
 * for what was there before. Until then the buttons are disabled.
 */

import { createElement } from './dom.js';
import { getMessage } from './i18n.js';
import { createText } from './long_text.js';

const ACTIVATION_DELAY_MS = 500;
const ALLOWING = ['once', 'session', 'always'];
const SHORTCUTS = { once: 'A', session: 'S', deny: 'D' };
const LABELS = { once: 'choiceOnce', session: 'choiceSession', deny: 'choiceDeny', block: 'choiceBlock' };
const ALWAYS = { low: 'alwaysLow', medium: 'alwaysMedium', high: 'alwaysHigh' };
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
 * @property {{ run: string, number: number, steps: number } | null} [run_step]
 * @property {string} tool
 * @property {'site' | 'action'} about
 * @property {string} receiver
 * @property {boolean} receiver_is_other_site
 * @property {Record<string, string>} form
 * @property {string} amount
 * @property {string[]} changes
 * @property {string} undo_always
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
  card.append(...createChanges(request.changes), ...createList(request.values));
  if (request.steps.length) card.append(createElement('ol', {}, ...request.steps.map((step) => createElement('li', {}, ...createText(step)))));
  card.append(...createForm(request), createElement('p', {}, getMessage('reason', request.reason)),
    createElement('p', { class: 'muted small' }, `${getMessage('byRule', request.rule)} · ${getMessage('byTool', request.tool)}${stepOf(request)}`));
  const choices = createElement('div', { class: 'choices' });
  for (const choice of ORDER.filter((one) => request.choices.includes(one))) choices.append(createButton(card, request, choice, decide));
  if (request.undo_always) choices.append(createElement('p', { class: 'muted small undo' }, getMessage('undoAlways', request.undo_always)));
  card.append(choices, createElement('div', { class: 'row' },
    createElement('div', { class: 'countdown grow', role: 'presentation' }, createElement('i')), createElement('span', { class: 'muted small time-left' })));
  card.addEventListener('toggle', ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open) target.dataset.read = '';
    setActivation(card, activationOf(card));
  }, true);
  updateCountdown(card, request, now);
  delayActivation(card);
  return card;
}

/** Which step of a run it is. @param {ApprovalRequest} request */
function stepOf({ run_step: step }) {
  return step ? ` · ${getMessage('runStep', step.number, step.steps)}` : '';
}

/** Names and values. @param {Record<string, string>} values @returns {HTMLElement[]} */
function createList(values) {
  const rows = Object.entries(values).flatMap(([name, value]) => [createElement('dt', {}, name), createElement('dd', {}, ...createText(value))]);
  return rows.length ? [createElement('dl', {}, ...rows)] : [];
}

/** What differs from the request that the user approved before. @param {string[]} changes @returns {HTMLElement[]} */
function createChanges(changes) {
  if (!changes.length) return [];
  const list = createElement('ul', {}, ...changes.map((change) => createElement('li', {}, ...createText(change))));
  return [createElement('div', { class: 'notice stop changes' }, createElement('strong', {}, getMessage('changedSince')), list)];
}

/** What is submitted, and to whom. @param {ApprovalRequest} request @returns {HTMLElement[]} */
function createForm({ receiver, receiver_is_other_site: elsewhere, amount, form }) {
  const parts = [];
  if (amount) parts.push(createElement('p', { class: 'amount' }, getMessage('amount', amount)));
  if (receiver) parts.push(createElement('p', elsewhere ? { class: 'notice stop receiver' } : { class: 'receiver' }, getMessage(elsewhere ? 'sendsElsewhere' : 'sendsTo', receiver)));
  return [...parts, ...createList(form)];
}

/** What a choice allows. @param {ApprovalRequest} request @param {Choice} choice */
export function choiceLabel({ labels, about, risk, site }, choice) {
  const own = labels[choice];
  if (own) return own;
  return choice === 'always' ? getMessage(about === 'site' ? 'alwaysSite' : ALWAYS[risk], site) : getMessage(LABELS[choice]);
}

/** @param {HTMLElement} card @param {ApprovalRequest} request @param {Choice} choice @param {(choice: Choice) => void} decide */
function createButton(card, request, choice, decide) {
  const style = choice === 'once' ? 'main' : choice === 'block' ? 'danger' : '';
  const button = createElement('button', { class: style, 'data-choice': choice }, choiceLabel(request, choice));
  if (choice in SHORTCUTS) {
    const key = SHORTCUTS[/** @type {keyof typeof SHORTCUTS} */ (choice)];
    button.setAttribute('aria-keyshortcuts', key);
    button.append(createElement('kbd', { 'aria-hidden': 'true' }, key));
  }
  button.addEventListener('click', (event) => {
    if (event.isTrusted && canChoose(card, choice)) decide(choice);
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

/** @typedef {'pending' | 'active' | 'closed'} Activation */

/** @param {HTMLElement} card @returns {Activation} */
function activationOf(card) {
  return /** @type {Activation} */ (card.dataset.activation);
}

/** Whether the user can make this choice now. @param {HTMLElement} card @param {Choice} choice */
export function canChoose(card, choice) {
  return activationOf(card) === 'active' && !(ALLOWING.includes(choice) && hasUnreadText(card));
}

/** Whether a long value was never shown in full. @param {HTMLElement} card */
function hasUnreadText(card) {
  return card.querySelector('details.long-text:not([data-read])') !== null;
}

/** @param {HTMLElement} card @param {Activation} activation */
function setActivation(card, activation) {
  card.dataset.activation = activation;
  for (const button of card.querySelectorAll('button')) {
    const choice = /** @type {Choice} */ (button.dataset.choice);
    button.disabled = !canChoose(card, choice);
    button.title = ALLOWING.includes(choice) && hasUnreadText(card) ? getMessage('readFirst') : '';
  }
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
