/** The parts of a page: found, shown, filled, made. Knows nothing of chrome.*, so that any page of ours can use it. */

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
export function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`#${id} is missing`);
  return found;
}

/** @param {string} id @param {boolean} visible */
export function show(id, visible) {
  const element = part(id, HTMLElement);
  if (element.hidden === visible) element.hidden = !visible;
}

/** Change a text only when it is another, so that screen readers do not tell it again. @param {string} id @param {string} words */
export function say(id, words) {
  const element = part(id, HTMLElement);
  if (element.textContent !== words) element.textContent = words;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, string>} attributes @param {(Node | string)[]} children @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
