/** Small DOM helpers. Uses no chrome.*, so that the dashboard can use them too. */

/** The element with this id; throws when it is missing or of another type. @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id} is missing`);
  return found;
}

/** @param {string} id @param {boolean} visible */
export function setVisible(id, visible) {
  const element = byId(id, HTMLElement);
  if (element.hidden === visible) element.hidden = !visible;
}

/** Leaves an unchanged text alone, so that screen readers do not announce it again. @param {string} id @param {string} text */
export function setText(id, text) {
  const element = byId(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
}

/** @param {string} id @param {(event: MouseEvent) => unknown} listener */
export function onClick(id, listener) {
  byId(id, HTMLElement).addEventListener('click', listener);
}

/** Checks the radio button of a group that has this value, and no other. @param {string} name @param {string} value */
export function checkRadio(name, value) {
  for (const radio of document.querySelectorAll(`input[name=${name}]`)) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === value;
  }
}

/** Replaces the children of a list only where they differ, so that focus and open details survive a refresh. @param {HTMLElement} list @param {Element[]} children */
export function updateChildren(list, children) {
  if (children.length !== list.children.length || children.some((child, index) => list.children[index] !== child)) list.replaceChildren(...children);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, string>} attributes @param {(Node | string)[]} children @returns {HTMLElementTagNameMap[K]}
 */
export function createElement(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
