/** The dashboard's words: those of the extension, and its own beside them, in the user's language. */

import { fillTexts, speakBy } from '../../extension/texts.js';

const LANGUAGES = ['en', 'de'];

/** @typedef {Record<string, { message: string, placeholders?: Record<string, { content: string }> }>} Messages */

/** The first language that the user reads and that we have. @param {readonly string[]} wanted */
export function languageOf(wanted) {
  return wanted.map((one) => one.slice(0, 2).toLowerCase()).find((one) => LANGUAGES.includes(one)) ?? 'en';
}

/** Looks words up as Chrome does for an extension. @param {Messages} messages @returns {import('../../extension/texts.js').Words} */
export function wordsOf(messages) {
  return (name, substitutions) => {
    const found = messages[name];
    if (!found) return '';
    return found.message.replace(/\$(\w+)\$/g, (_, holder) => {
      const content = found.placeholders?.[holder.toLowerCase()]?.content ?? '';
      return content.replace(/\$(\d)/g, (__, number) => substitutions[Number(number) - 1] ?? '');
    });
  };
}

/** @param {string} path @returns {Promise<Messages>} */
async function load(path) {
  return (await fetch(path)).json();
}

/** Every page begins with this. */
export async function speak() {
  const language = languageOf(navigator.languages);
  const [shared, own] = await Promise.all([load(`/extension/_locales/${language}/messages.json`), load(`/dashboard/static/words/${language}.json`)]);
  speakBy(wordsOf({ ...shared, ...own }));
  fillTexts(document);
}
