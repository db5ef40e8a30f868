/** Stands in for chrome.i18n under Node: the words of a locale, with what is filled in. */

import { readFileSync } from 'node:fs';

import { wordsOf } from '../../src/browser_pilot/dashboard/static/words.js';

const PACKAGE = new URL('../../src/browser_pilot/', import.meta.url);

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(new URL(path, PACKAGE), 'utf8'));

/** The extension's words. @param {string} locale */
export const messagesOf = (locale) => read(`extension/_locales/${locale}/messages.json`);

/** The words that the dashboard has besides. @param {string} locale */
export const dashboardMessagesOf = (locale) => read(`dashboard/static/words/${locale}.json`);

const getMessage = wordsOf({ ...messagesOf('en'), ...dashboardMessagesOf('en') });

globalThis.chrome = { i18n: { getMessage: (name, substitutions = []) => getMessage(name, substitutions) } };
