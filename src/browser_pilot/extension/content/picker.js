/**
 * Lets the user point at an element: what is under the mouse is framed, a click picks it, Esc ends it. Injected into every frame of a
 * page when asked for; nothing of the page hears the click. No module.
 */

(() => {
  const here = globalThis;
  here.browserPilotPicker?.end();

  const INTERACTIVE = 'a[href], button, input, select, textarea, summary, label, [role=button], [role=link], [role=tab], [role=menuitem], [role=checkbox], [role=switch], [role=option]';
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
  const frame = document.createElement('div');
  const words = document.createElement('span');
  frame.append(words);
  frame.hidden = true;
  root.append(style, frame);
  document.documentElement.append(host);
  /** @type {Element | null} */
  let aimed = null;

  /** What is meant: the control rather than the icon in it; with Alt exactly what is there. @param {MouseEvent} event */
  function meant(event) {
    const exact = event.composedPath()[0];
    if (!(exact instanceof Element) || exact === host) return null;
    const control = event.altKey ? null : exact.closest(INTERACTIVE);
    return control && (exact instanceof SVGElement || control.contains(exact)) ? control : exact;
  }

  /** @param {MouseEvent} event */
  function aim(event) {
    const element = meant(event);
    if (element === aimed) return;
    aimed = element;
    frame.hidden = !element;
    if (!element) return;
    const box = element.getBoundingClientRect();
    Object.assign(frame.style, { left: `${box.left - 2}px`, top: `${box.top - 2}px`, width: `${box.width + 4}px`, height: `${box.height + 4}px` });
    const role = here.browserPilotWords.roleOf(element);
    words.textContent = `${role === 'generic' ? element.localName : role} ${here.browserPilotWords.nameOf(element, role)}`.trim();
    words.classList.toggle('below', box.top < 28);
  }

  /** @param {Event} event */
  function swallow(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** @param {MouseEvent} event */
  function pick(event) {
    swallow(event);
    const element = event.isTrusted ? meant(event) : null;
    if (!element) return;
    const role = here.browserPilotWords.roleOf(element);
    const picked = { role, name: here.browserPilotWords.nameOf(element, role), tag: element.localName, selectors: here.browserPilotPage.selectorsOf(element), frameUrl: location.href };
    end();
    void chrome.runtime.sendMessage({ to: 'picker', picked });
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== 'Escape') return;
    swallow(event);
    void chrome.runtime.sendMessage({ to: 'picker', ended: true });
  }

  /** @param {{ to?: string, stop?: boolean }} message */
  function take(message) {
    if (message.to === 'picker' && message.stop) end();
  }

  function leave() {
    frame.hidden = true;
    aimed = null;
  }

  const swallowed = ['mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick', 'contextmenu'];

  function end() {
    host.remove();
    window.removeEventListener('mousemove', aim, true);
    window.removeEventListener('click', pick, true);
    window.removeEventListener('keydown', press, true);
    document.removeEventListener('mouseleave', leave);
    for (const name of swallowed) window.removeEventListener(name, swallow, true);
    chrome.runtime.onMessage.removeListener(take);
    here.browserPilotPicker = undefined;
  }

  window.addEventListener('mousemove', aim, true);
  window.addEventListener('click', pick, true);
  window.addEventListener('keydown', press, true);
  document.addEventListener('mouseleave', leave);
  for (const name of swallowed) window.addEventListener(name, swallow, true);
  chrome.runtime.onMessage.addListener(take);
  here.browserPilotPicker = { end };
})();
