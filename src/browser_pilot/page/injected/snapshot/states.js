// What state an element is in, and the value of a field. Passwords never leave the page, not even their length.

const SECRET_HINTS = /password|cc-number|cc-csc|one-time-code/;
/** Fields that have been password fields stay secret when a page shows their text. @type {WeakSet<Element>} */
const secrets = new WeakSet();
const OPTIONS_SHOWN_LENGTH = 400;
const VALUE_LENGTH = 300;

/** @param {Element} element */
function isSecret(element) {
  if (secrets.has(element)) return true;
  if (!(element instanceof HTMLInputElement)) return false;
  const secret =
    element.type === 'password' || SECRET_HINTS.test(element.autocomplete) || !['', 'none'].includes(lookOf(element).style.getPropertyValue('-webkit-text-security'));
  if (secret) secrets.add(element);
  return secret;
}

/** The value of a field or gauge, or null when it has none to show. @param {Element} element @param {string} role @returns {string | null} */
function valueOf(element, role) {
  if (element instanceof HTMLSelectElement) {
    return [...element.selectedOptions].map((option) => tidy(option.label)).join('; ') || null;
  }
  if (element instanceof HTMLInputElement) {
    if (isSecret(element) || TOGGLE_ROLES.has(role) || role === 'button') return null;
    if (element.type === 'file') return [...(element.files ?? [])].map((file) => file.name).join('; ') || null;
    return element.value || null;
  }
  if (element instanceof HTMLTextAreaElement) return element.value || null;
  if (element instanceof HTMLProgressElement) return element.position < 0 ? null : `${Math.round(element.position * 100)}%`;
  if (element instanceof HTMLMeterElement) return String(element.value);
  if (role === 'textbox' || role === 'searchbox' || role === 'combobox') {
    const text = isEditable(element) || role !== 'combobox' ? element.textContent : comboboxText(element);
    return tidy(text ?? '') || null;
  }
  const spoken = element.getAttribute('aria-valuetext') || element.getAttribute('aria-valuenow');
  return FIELD_ROLES.has(role) || role === 'progressbar' || role === 'meter' || role === 'scrollbar' ? spoken : null;
}

/** @param {Element} element */
function comboboxText(element) {
  return element.getAttribute('aria-valuetext') ?? tidy(contentText(element, new Set(), 'generic'));
}

/** The states of an element in the words that the table uses. @param {Element} element @param {string} role @returns {string[]} */
function statesOf(element, role) {
  const states = [];
  if (element === focused) states.push('focused');
  if (TOGGLE_ROLES.has(role)) states.push(checkedState(element));
  const pressed = element.getAttribute('aria-pressed');
  if (pressed === 'true') states.push('pressed');
  else if (pressed === 'mixed') states.push('mixed');
  if (element.matches(':disabled') || closestAttribute(element, 'aria-disabled') === 'true' || element.closest('[inert]')) states.push('disabled');
  const expanded = expandedState(element);
  if (expanded) states.push(expanded);
  if (element.getAttribute('aria-selected') === 'true' || (element instanceof HTMLOptionElement && element.selected)) states.push('selected');
  const current = element.getAttribute('aria-current');
  if (current && current !== 'false') states.push('current');
  if (/** @type {HTMLInputElement} */ (element).required === true || element.getAttribute('aria-required') === 'true') states.push('required');
  if (isInvalid(element)) states.push('invalid');
  if (isReadOnly(element, role)) states.push('readonly');
  const level = levelOf(element, role);
  if (level) states.push(`level ${level}`);
  if (isSecret(element) && /** @type {HTMLInputElement} */ (element).value) states.push('filled');
  if (element instanceof HTMLSelectElement) states.push(...optionStates(element));
  return states;
}

/** @param {Element} element @param {string} attribute */
function closestAttribute(element, attribute) {
  return element.hasAttribute(attribute) ? element.getAttribute(attribute) : element.closest(`[${attribute}=true]`)?.getAttribute(attribute);
}

/** @param {Element} element */
function checkedState(element) {
  if (element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio')) {
    if (element.indeterminate) return 'mixed';
    return element.checked ? 'checked' : 'unchecked';
  }
  const written = element.getAttribute('aria-checked');
  return written === 'true' ? 'checked' : written === 'mixed' ? 'mixed' : 'unchecked';
}

/** @param {Element} element */
function expandedState(element) {
  const written = element.getAttribute('aria-expanded');
  if (written === 'true') return 'expanded';
  if (written === 'false') return 'collapsed';
  const details = element.tagName === 'SUMMARY' ? element.parentElement : null;
  if (!(details instanceof HTMLDetailsElement)) return '';
  return details.open ? 'expanded' : 'collapsed';
}

/** @param {Element} element */
function isInvalid(element) {
  const written = element.getAttribute('aria-invalid');
  if (written !== null) return written !== 'false' && written !== '';
  return element.matches(':user-invalid');
}

/** @param {Element} element @param {string} role */
function isReadOnly(element, role) {
  if (element.getAttribute('aria-readonly') === 'true') return true;
  return (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) && element.readOnly && FIELD_ROLES.has(role);
}

/** @param {Element} element @param {string} role */
function levelOf(element, role) {
  if (role !== 'heading' && role !== 'treeitem') return '';
  return element.getAttribute('aria-level') ?? (/^H[1-6]$/.test(element.tagName) ? element.tagName[1] : role === 'heading' ? '2' : '');
}

/** The choices of a drop-down, as many as are worth their room. @param {HTMLSelectElement} select */
function optionStates(select) {
  const labels = [...select.options].map((option) => tidy(option.label)).filter(Boolean);
  let shown = 0;
  let length = 0;
  while (shown < labels.length && (walkIsFull || length + labels[shown].length <= OPTIONS_SHOWN_LENGTH)) length += labels[shown++].length + 1;
  if (!labels.length) return [];
  const rest = labels.length - shown;
  return [`options ${labels.slice(0, shown).join('|')}${rest ? ` and ${rest} more` : ''}`];
}
