// The functions that can be called in a document that is still loading. Entry point of the first script: see injected_script.py.

import { startWatch, waitIdle, waitUsable } from './mutation_watch.js';

/** @type {Record<string, any>} */
export const loadingApi = {
  startWatch: () => void startWatch(),
  waitIdle,
  waitUsable,
};
