/** The user's paired browsers, one line each: how each is, and how to rename or forget it. */

import { make } from '../../extension/parts.js';
import { text } from '../../extension/texts.js';
import { browserView } from './dashboard_view.js';

/** @typedef {import('./dashboard_view.js').Browser} Browser */
/** @typedef {{ rename: (id: string, name: string) => Promise<void>, forget: (id: string) => Promise<void> }} Acts */

/** Brings the list up to date and leaves a line alone in which the user is at work. @param {HTMLElement} list @param {Browser[]} browsers @param {Acts} acts */
export function showBrowsers(list, browsers, acts) {
  const known = new Map([...list.children].map((line) => [line.getAttribute('data-id'), line]));
  const lines = browsers.map((browser) => {
    const line = known.get(browser.id);
    const is = JSON.stringify(browser);
    const keep = line && (line.getAttribute('data-is') === is || line.querySelector('form'));
    return keep ? line : lineOf(browser, is, acts);
  });
  if (lines.length !== list.children.length || lines.some((line, index) => list.children[index] !== line)) list.replaceChildren(...lines);
}

/** @param {Browser} browser @param {string} is @param {Acts} acts */
function lineOf(browser, is, acts) {
  const line = make('li', { class: 'browser', 'data-id': browser.id, 'data-is': is });
  atRest(line, browser, acts);
  return line;
}

/** @param {HTMLElement} line @param {Browser} browser @param {Acts} acts */
function atRest(line, browser, acts) {
  const { state, kind, about } = browserView(browser);
  const rename = make('button', { class: 'quiet', 'aria-label': text('renameWhat', browser.name) }, text('rename'));
  const forget = make('button', { class: 'quiet', 'aria-label': text('forgetWhat', browser.name) }, text('forget'));
  rename.addEventListener('click', () => askName(line, browser, acts));
  forget.addEventListener('click', () => askWhether(line, browser, acts));
  line.replaceChildren(
    make('div', { class: 'row between' }, make('strong', { class: 'cut grow', title: browser.name }, browser.name), make('span', { class: 'state', 'data-kind': kind }, state)),
    make('div', { class: 'row between' }, make('span', { class: 'muted small grow' }, about), make('span', { class: 'acts' }, rename, forget)));
}

/** @param {HTMLElement} line @param {Browser} browser @param {Acts} acts */
function askName(line, browser, acts) {
  const name = make('input', { class: 'grow', value: browser.name, maxlength: '40', 'aria-label': text('newName', browser.name), autocomplete: 'off' });
  form(line, browser, acts, [name], make('button', { class: 'main' }, text('save')), () => acts.rename(browser.id, name.value));
  name.select();
}

/** @param {HTMLElement} line @param {Browser} browser @param {Acts} acts */
function askWhether(line, browser, acts) {
  const sure = make('button', { class: 'danger' }, text('forget'));
  form(line, browser, acts, [make('span', { class: 'sure' }, text('forgetSure', browser.name))], sure, () => acts.forget(browser.id));
  sure.focus();
}

/** @param {HTMLElement} line @param {Browser} browser @param {Acts} acts @param {HTMLElement[]} content @param {HTMLElement} go @param {() => Promise<void>} act */
function form(line, browser, acts, content, go, act) {
  const keep = make('button', { type: 'button' }, text('cancel'));
  const made = make('form', { class: 'row' }, ...content, go, keep);
  const back = () => {
    atRest(line, browser, acts);
    line.querySelector('button')?.focus();
  };
  keep.addEventListener('click', back);
  made.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') back();
  });
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    line.removeAttribute('data-is');
    back();
    void act();
  });
  line.replaceChildren(made);
}
