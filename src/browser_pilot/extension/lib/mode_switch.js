/** The switch `#mode` for what agents may do by default: auto, ask or read-only. */

import { byId, checkRadio } from './dom.js';
import { getMessage } from './i18n.js';

const HINTS = { auto: 'modeAutoHint', ask: 'modeAskHint', readonly: 'modeReadonlyHint' };

/** @param {string} mode */
export function modeHint(mode) {
  return mode in HINTS ? getMessage(HINTS[/** @type {keyof typeof HINTS} */ (mode)]) : '';
}

/** @param {string} mode */
export function showMode(mode) {
  checkRadio('mode', mode);
}

/** @param {(mode: string) => unknown} changed */
export function onModeChange(changed) {
  byId('mode', HTMLElement).addEventListener('change', (event) => {
    if (event.target instanceof HTMLInputElement) changed(event.target.value);
  });
}
