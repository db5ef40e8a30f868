/**
 * Every text that people read comes from a messages file, by its name. In the extension Chrome looks it up in `_locales`, in the
 * user's language; the dashboard sets its own lookup.
 */

/** @typedef {(name: string, substitutions: string[]) => string} MessageLookup */

/** @type {MessageLookup} */
let lookup = (name, substitutions) => chrome.i18n.getMessage(name, substitutions);

/** For a page outside the extension, where chrome.i18n is missing. @param {MessageLookup} replacement */
export function setMessageLookup(replacement) {
  lookup = replacement;
}

/** @param {string} name @param {(string | number)[]} substitutions @returns {string} */
export function getMessage(name, ...substitutions) {
  return lookup(name, substitutions.map(String)) || name;
}

/** A duration for people, such as "1 m 5 s"; never negative, even if the clock was set back. @param {number} seconds */
export function formatDuration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  if (minutes >= 60) return getMessage('hours', Math.floor(minutes / 60), minutes % 60);
  return minutes ? getMessage('minutes', minutes, whole % 60) : getMessage('seconds', whole);
}

/** Fills in the texts of a page: `data-i18n` is the content, `data-i18n-label`, `-title` and `-placeholder` are attributes. @param {Document} root */
export function localizePage(root) {
  root.documentElement.lang = getMessage('lang');
  for (const element of root.querySelectorAll('[data-i18n]')) element.textContent = getMessage(element.getAttribute('data-i18n') ?? '');
  for (const [source, target] of [['label', 'aria-label'], ['title', 'title'], ['placeholder', 'placeholder']]) {
    for (const element of root.querySelectorAll(`[data-i18n-${source}]`)) {
      element.setAttribute(String(target), getMessage(element.getAttribute(`data-i18n-${source}`) ?? ''));
    }
  }
}
