/**
 * Lets the user pick an element: the element under the mouse is outlined, a click picks it, Esc cancels. Injected into every frame of a
 * page on demand; the page does not get the click. Not a module, see `globals.d.ts`.
 */

(() => {
  const world = globalThis;
  world.browserPilotPicker?.stop();

  const { roleOf, nameOf } = world.browserPilotAccname;
  const { selectorsOf } = world.browserPilotPageSelectors;
  const INTERACTIVE = 'a[href], button, input, select, textarea, summary, label, [role=button], [role=link], [role=tab], [role=menuitem], [role=checkbox], [role=switch], [role=option]';
  const BLOCKED_EVENTS = ['mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick', 'contextmenu'];
  const host = document.createElement('browser-pilot-picker');
  host.setAttribute('aria-hidden', 'true');
  const root = host.attachShadow({ mode: 'closed' });
  const style = document.createElement('style');
  style.textContent = `
    :host { all: initial; }
    div { box-sizing: border-box; position: fixed; z-index: 2147483647; pointer-events: none; border: 2px solid #2457d6; border-radius: 4px; background: #2457d61f;
      box-shadow: 0 0 0 1px #fffc; transition: all .06s; }
    span { position: absolute; left: -2px; bottom: calc(100% + 4px); max-width: 320px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
      padding: 2px 8px; border-radius: 4px; background: #2457d6; color: #fff; font: 12px/1.45 system-ui, sans-serif; }
    span.below { bottom: auto; top: calc(100% + 4px); }`;
  const outline = document.createElement('div');
  const label = document.createElement('span');
  outline.append(label);
  outline.hidden = true;
  root.append(style, outline);
  document.documentElement.append(host);
  /** @type {Element | null} */
  let highlighted = null;

  /** The control rather than the icon in it; with Alt exactly the element under the mouse. @param {MouseEvent} event */
  function elementAt(event) {
    const exact = event.composedPath()[0];
    if (!(exact instanceof Element) || exact === host) return null;
    const control = event.altKey ? null : exact.closest(INTERACTIVE);
    return control && (exact instanceof SVGElement || control.contains(exact)) ? control : exact;
  }

  /** @param {MouseEvent} event */
  function highlight(event) {
    const element = elementAt(event);
    if (element === highlighted) return;
    highlighted = element;
    outline.hidden = !element;
    if (!element) return;
    const box = element.getBoundingClientRect();
    Object.assign(outline.style, { left: `${box.left - 2}px`, top: `${box.top - 2}px`, width: `${box.width + 4}px`, height: `${box.height + 4}px` });
    const role = roleOf(element);
    label.textContent = `${role === 'generic' ? element.localName : role} ${nameOf(element)}`.trim();
    label.classList.toggle('below', box.top < 28);
  }

  /** @param {Event} event */
  function block(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** @param {MouseEvent} event */
  function pick(event) {
    block(event);
    const element = event.isTrusted ? elementAt(event) : null;
    if (!element) return;
    const picked = { role: roleOf(element), name: nameOf(element), tag: element.localName, selectors: selectorsOf(element), frameUrl: location.href };
    stop();
    void chrome.runtime.sendMessage({ to: 'picker', type: 'picked', picked });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== 'Escape') return;
    block(event);
    void chrome.runtime.sendMessage({ to: 'picker', type: 'cancelled' });
  }

  /** @param {{ to?: string, type?: string }} message */
  function onMessage(message) {
    if (message.to === 'picker' && message.type === 'stop') stop();
  }

  function removeHighlight() {
    outline.hidden = true;
    highlighted = null;
  }

  function stop() {
    host.remove();
    window.removeEventListener('mousemove', highlight, true);
    window.removeEventListener('click', pick, true);
    window.removeEventListener('keydown', onKey, true);
    document.removeEventListener('mouseleave', removeHighlight);
    for (const name of BLOCKED_EVENTS) window.removeEventListener(name, block, true);
    chrome.runtime.onMessage.removeListener(onMessage);
    world.browserPilotPicker = undefined;
  }

  window.addEventListener('mousemove', highlight, true);
  window.addEventListener('click', pick, true);
  window.addEventListener('keydown', onKey, true);
  document.addEventListener('mouseleave', removeHighlight);
  for (const name of BLOCKED_EVENTS) window.addEventListener(name, block, true);
  chrome.runtime.onMessage.addListener(onMessage);
  world.browserPilotPicker = { stop };
})();
