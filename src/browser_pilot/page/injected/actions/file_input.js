// File fields: the one that an element is, labels or holds.

/** @param {string} ref @returns {HTMLInputElement | null} */
pilot.fileField = function fileField(ref) {
  const named = elementOf(ref);
  if (named === null) return null;
  const field = fieldOf(named);
  if (field instanceof HTMLInputElement && field.type === 'file') return field;
  const inside = named.querySelectorAll('input[type=file]');
  if (inside.length === 1) return /** @type {HTMLInputElement} */ (inside[0]);
  const label = named.closest('label');
  return label?.control instanceof HTMLInputElement && label.control.type === 'file' ? label.control : null;
};

/** @param {string} ref */
pilot.fileFacts = function fileFacts(ref) {
  startWatch();
  const field = pilot.fileField(ref);
  if (field === null) return { known: false, multiple: true, folder: false, files: [] };
  const files = [...(field.files ?? [])].map((file) => file.name);
  return { known: true, multiple: field.multiple, folder: field.webkitdirectory, files };
};
