// Selects options of a select element.

import { normalizeText } from '../dom.js';
import { startWatch } from '../mutation_watch.js';
import { elementOf } from '../refs.js';
import { nextFrame } from '../scheduling.js';
import { dispatchChange, reportWrite, waitForField } from './fields.js';
import { findOption } from './forms.js';
import { isCustomList } from './listbox.js';
import { hasChanged, refIn } from './target_facts.js';

/** @import { Failure } from './failures.js' */
/** @import { Target } from './target_facts.js' */

const MAX_LISTED_OPTIONS = 30;
/** Options often come from the network a moment later. */
export const OPTIONS_TIMEOUT_MS = 1_000;

/** @param {HTMLSelectElement} select */
function listOptions(select) {
  const labels = [...select.options].map((option) => normalizeText(option.label)).filter(Boolean);
  const more = labels.length > MAX_LISTED_OPTIONS ? `, and ${labels.length - MAX_LISTED_OPTIONS} more` : '';
  return labels.slice(0, MAX_LISTED_OPTIONS).map((label) => `"${label}"`).join(', ') + more;
}

/** The content of a select element once the options are selected. @param {HTMLSelectElement} select @param {string[]} wanted */
export function selectedLabels(select, wanted) {
  return wanted.map((one) => normalizeText(findOption(select, one)?.label ?? one)).join('; ');
}

/** @param {HTMLSelectElement} select @param {string[]} wanted @returns {Failure | null} */
export function selectNow(select, wanted) {
  if (!select.multiple && wanted.length !== 1) return { error: 'one option' };
  const selected = new Set();
  for (const one of wanted) {
    const option = findOption(select, one);
    if (option === null) return { error: 'no option', by: `"${one}"; there are ${listOptions(select)}` };
    const group = option.parentElement;
    if (option.disabled || (group instanceof HTMLOptGroupElement && group.disabled)) return { error: 'disabled option', by: `"${one}"` };
    selected.add(option);
  }
  const changes = [...select.options].some((option) => option.selected !== selected.has(option));
  if (!changes) return null;
  select.focus({ preventScroll: true });
  for (const option of select.options) option.selected = selected.has(option);
  dispatchChange(select);
  return null;
}

/** @param {Target} target @param {string[]} wanted labels or values @param {number} timeoutMs */
export async function selectOptions(target, wanted, timeoutMs) {
  let deadline = Infinity;
  for (;;) {
    const resolved = elementOf(refIn(target));
    if (resolved && isCustomList(resolved)) return hasChanged(target, resolved) ? { error: 'changed' } : { customList: true };
    const found = await waitForField(target, timeoutMs);
    if ('error' in found) return found.error === 'no field' ? { error: 'no select' } : found;
    const { field } = found;
    if (!(field instanceof HTMLSelectElement)) return { error: 'no select' };
    const watch = startWatch();
    const failure = selectNow(field, wanted);
    if (failure === null) return reportWrite({ field, expected: selectedLabels(field, wanted), before: '', watch }, false);
    deadline = Math.min(deadline, performance.now() + Math.min(timeoutMs, OPTIONS_TIMEOUT_MS));
    if (failure.error !== 'no option' || performance.now() >= deadline) return failure;
    await nextFrame();
  }
}
