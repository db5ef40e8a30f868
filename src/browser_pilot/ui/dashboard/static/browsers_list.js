/** The user's paired browsers, one row each: its state, and how to rename or forget it. */

import { createElement, updateChildren } from '../../../extension/lib/dom.js';
import { getMessage } from '../../../extension/lib/i18n.js';
import { browserView } from './dashboard_view.js';

/** @typedef {import('./dashboard_view.js').Browser} Browser */
/** @typedef {{ rename: (id: string, name: string) => Promise<void>, forget: (id: string) => Promise<void> }} BrowserActions */

/** Keeps rows that did not change, and the row in which the user is editing. @param {HTMLElement} list @param {Browser[]} browsers @param {BrowserActions} actions */
export function renderBrowsers(list, browsers, actions) {
  const known = new Map([...list.children].map((row) => [row.getAttribute('data-id'), row]));
  updateChildren(list, browsers.map((browser) => {
    const row = known.get(browser.id);
    const version = JSON.stringify(browser);
    const keep = row && (row.getAttribute('data-version') === version || row.querySelector('form'));
    return keep ? row : createRow(browser, version, actions);
  }));
}

/** @param {Browser} browser @param {string} version @param {BrowserActions} actions */
function createRow(browser, version, actions) {
  const row = createElement('li', { class: 'browser', 'data-id': browser.id, 'data-version': version });
  showBrowser(row, browser, actions);
  return row;
}

/** @param {HTMLElement} row @param {Browser} browser @param {BrowserActions} actions */
function showBrowser(row, browser, actions) {
  const { state, kind, details } = browserView(browser);
  const rename = createElement('button', { class: 'quiet', 'aria-label': getMessage('renameLabel', browser.name) }, getMessage('rename'));
  const forget = createElement('button', { class: 'quiet', 'aria-label': getMessage('forgetLabel', browser.name) }, getMessage('forget'));
  rename.addEventListener('click', () => showRenameForm(row, browser, actions));
  forget.addEventListener('click', () => showForgetForm(row, browser, actions));
  row.replaceChildren(
    createElement('div', { class: 'row between' }, createElement('strong', { class: 'truncate grow', title: browser.name }, browser.name), createElement('span', { class: 'state', 'data-kind': kind }, state)),
    createElement('div', { class: 'row between' }, createElement('span', { class: 'muted small grow' }, details), createElement('span', { class: 'actions' }, rename, forget)));
}

/** @param {HTMLElement} row @param {Browser} browser @param {BrowserActions} actions */
function showRenameForm(row, browser, actions) {
  const name = createElement('input', { class: 'grow', value: browser.name, maxlength: '40', 'aria-label': getMessage('newName', browser.name), autocomplete: 'off' });
  showForm(row, browser, actions, [name], createElement('button', { class: 'main' }, getMessage('save')), () => actions.rename(browser.id, name.value));
  name.select();
}

/** @param {HTMLElement} row @param {Browser} browser @param {BrowserActions} actions */
function showForgetForm(row, browser, actions) {
  const confirm = createElement('button', { class: 'danger' }, getMessage('forget'));
  showForm(row, browser, actions, [createElement('span', { class: 'confirm' }, getMessage('forgetConfirm', browser.name))], confirm, () => actions.forget(browser.id));
  confirm.focus();
}

/** @param {HTMLElement} row @param {Browser} browser @param {BrowserActions} actions @param {HTMLElement[]} content @param {HTMLElement} submit @param {() => Promise<void>} onSubmit */
function showForm(row, browser, actions, content, submit, onSubmit) {
  const cancel = createElement('button', { type: 'button' }, getMessage('cancel'));
  const form = createElement('form', { class: 'row' }, ...content, submit, cancel);
  const close = () => {
    showBrowser(row, browser, actions);
    row.querySelector('button')?.focus();
  };
  cancel.addEventListener('click', close);
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    row.removeAttribute('data-version');
    close();
    void onSubmit();
  });
  row.replaceChildren(form);
}
