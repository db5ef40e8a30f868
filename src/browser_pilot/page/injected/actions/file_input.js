// File inputs: the one that an element is, labels or contains.

import { startWatch } from '../mutation_watch.js';
import { elementOf } from '../refs.js';
import { fieldOf } from './field_kinds.js';

/** @param {string} ref @returns {HTMLInputElement | null} */
export function fileInput(ref) {
  const resolved = elementOf(ref);
  if (resolved === null) return null;
  const field = fieldOf(resolved);
  if (field instanceof HTMLInputElement && field.type === 'file') return field;
  const inside = resolved.querySelectorAll('input[type=file]');
  if (inside.length === 1) return /** @type {HTMLInputElement} */ (inside[0]);
  const label = resolved.closest('label');
  return label?.control instanceof HTMLInputElement && label.control.type === 'file' ? label.control : null;
}

/** @param {string} ref */
export function fileInputFacts(ref) {
  startWatch();
  const field = fileInput(ref);
  if (field === null) return { known: false, multiple: true, folder: false, files: [] };
  const files = [...(field.files ?? [])].map((file) => file.name);
  return { known: true, multiple: field.multiple, folder: field.webkitdirectory, files };
}
