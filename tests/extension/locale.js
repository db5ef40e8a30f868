/** Replaces chrome.i18n under Node: the English messages of the extension and the dashboard. */

import { readFileSync } from 'node:fs';

import { lookupIn } from '../../src/browser_pilot/ui/dashboard/static/i18n.js';

const PACKAGE = new URL('../../src/browser_pilot/', import.meta.url);

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(new URL(path, PACKAGE), 'utf8'));

/** @param {string} locale */
export const extensionMessages = (locale) => read(`extension/_locales/${locale}/messages.json`);

/** @param {string} locale */
export const dashboardMessages = (locale) => read(`ui/dashboard/static/locales/${locale}.json`);

const getMessage = lookupIn({ ...extensionMessages('en'), ...dashboardMessages('en') });

globalThis.chrome = { i18n: { getMessage: (name, substitutions = []) => getMessage(name, substitutions) } };
