/** Every word that people read comes from `_locales`, by its name; in the extension through Chrome, which knows the user's language. */

/** @typedef {(name: string, substitutions: string[]) => string} Words */

/** @type {Words} */
let words = (name, substitutions) => chrome.i18n.getMessage(name, substitutions);

/** For a page outside the extension: take the words from elsewhere. @param {Words} others */
export function speakBy(others) {
  words = others;
}

/** @param {string} name @param {(string | number)[]} substitutions @returns {string} */
export function text(name, ...substitutions) {
  return words(name, substitutions.map(String)) || name;
}

/** How long something lasts, for people. @param {number} seconds */
export function lasting(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return text('hours', Math.floor(minutes / 60), minutes % 60);
  return minutes ? text('minutes', minutes, Math.floor(seconds % 60)) : text('seconds', Math.max(0, Math.floor(seconds)));
}

/** Put the words into a page: `data-text` for what it says, `data-label` and `data-hint` for what is only told. @param {Document} root */
export function fillTexts(root) {
  root.documentElement.lang = text('lang');
  for (const element of root.querySelectorAll('[data-text]')) element.textContent = text(element.getAttribute('data-text') ?? '');
  for (const element of root.querySelectorAll('[data-label]')) element.setAttribute('aria-label', text(element.getAttribute('data-label') ?? ''));
  for (const element of root.querySelectorAll('[data-title]')) element.setAttribute('title', text(element.getAttribute('data-title') ?? ''));
  for (const element of root.querySelectorAll('[data-hint]')) element.setAttribute('placeholder', text(element.getAttribute('data-hint') ?? ''));
}
