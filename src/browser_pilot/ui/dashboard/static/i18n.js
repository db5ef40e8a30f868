/** The dashboard's messages: those of the extension and its own, in the user's language. */

import { localizePage, setMessageLookup } from '../../../extension/lib/i18n.js';

const LANGUAGES = ['en', 'de'];

/** @typedef {Record<string, { message: string, placeholders?: Record<string, { content: string }> }>} Messages */

/** The first of the user's languages that is available. @param {readonly string[]} preferred */
export function languageOf(preferred) {
  return preferred.map((one) => one.slice(0, 2).toLowerCase()).find((one) => LANGUAGES.includes(one)) ?? 'en';
}

/** Looks messages up as chrome.i18n does. @param {Messages} messages @returns {import('../../../extension/lib/i18n.js').MessageLookup} */
export function lookupIn(messages) {
  return (name, substitutions) => {
    const found = messages[name];
    if (!found) return '';
    return found.message.replace(/\$(\w+)\$/g, (_, placeholder) => {
      const content = found.placeholders?.[placeholder.toLowerCase()]?.content ?? '';
      return content.replace(/\$(\d)/g, (__, number) => substitutions[Number(number) - 1] ?? '');
    });
  };
}

/** @param {string} path @returns {Promise<Messages>} */
async function load(path) {
  return (await fetch(path)).json();
}

/** Every page starts with this. */
export async function loadMessages() {
  const language = languageOf(navigator.languages);
  const [shared, own] = await Promise.all([load(`/extension/_locales/${language}/messages.json`), load(`/ui/dashboard/static/locales/${language}.json`)]);
  setMessageLookup(lookupIn({ ...shared, ...own }));
  localizePage(document);
}
