/**
 * The indicator in a controlled page, with Pause and Stop, and Review while a request waits. There is no Resume: no trick of the page can
 * make the user click it. Injected into the extension's isolated world of the page.
 *
 * It is in the top layer and in a closed shadow root, and the styles of its host are inline and important, so that styles of the page do not
 * move or hide it. If the page removes it, it is shown again; if that fails, the tab is disconnected. It ignores the mouse until the user's
 * own mouse is over it: it never covers what an agent clicks, and an agent cannot click it. Not a module: content scripts cannot be.
 */

(() => {
  const world = /** @type {typeof globalThis & { browserPilotIndicator?: boolean }} */ (globalThis);
  if (world.browserPilotIndicator || window !== window.top || !document.documentElement) return;
  world.browserPilotIndicator = true;

  /** A page that interferes more often than this in this time does so on purpose. */
  const MAX_RESTORES = 20;
  const RESTORE_WINDOW_MS = 10_000;
  const ATTRIBUTES = new Map(Object.entries({
    'aria-hidden': 'true',
    popover: 'manual',
    style: ['all: initial', 'display: block', 'position: fixed', 'inset: auto 12px 12px auto', 'width: max-content', 'height: max-content', 'z-index: 2147483647', 'pointer-events: none']
      .map((declaration) => `${declaration} !important;`).join(' '),
  }));
  const STYLE = `
    div { display: flex; gap: 8px; align-items: center; padding: 4px 6px 4px 10px; border-radius: 999px; font: 12px/1.45 system-ui, sans-serif;
      color: #fff; background: #1f2937e6; box-shadow: 0 0 0 1px #ffffff55, 0 2px 8px #0004; pointer-events: none; opacity: .85; }
    div.clickable { pointer-events: auto; opacity: 1; }
    div[data-state="waiting"] { background: #b45309; opacity: 1; font-weight: 600; }
    i { width: 8px; height: 8px; border-radius: 50%; background: #4ade80; }
    div[data-state="waiting"] i { background: #fff; }
    div[data-state="paused"] i { background: #fbbf24; border-radius: 2px; }
    button { all: unset; padding: 1px 8px; border-radius: 999px; background: #ffffff26; cursor: pointer; }
    button:hover { background: #ffffff4d; }
    div[data-state="waiting"] button.main { background: #fff; color: #7c2d12; }
    button[hidden] { display: none; }
    @media print { div { display: none; } }`;

  const host = document.createElement(randomName());
  const root = host.attachShadow({ mode: 'closed' });
  const style = document.createElement('style');
  style.textContent = STYLE;
  const pill = document.createElement('div');
  const label = document.createElement('span');
  const review = createButton('review');
  const pause = createButton('pause');
  const stop = createButton('stop');
  review.className = 'main';
  pill.append(document.createElement('i'), label, review, pause, stop);
  root.append(style, pill);
  const observer = new MutationObserver(restore);
  /** @type {number[]} */
  let restores = [];
  let shown = false;

  /** A page cannot find it by name. */
  function randomName() {
    const part = () => [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
    return `${part()}-${part()}`;
  }

  /** @param {'pause' | 'stop' | 'review'} command */
  function createButton(command) {
    const button = document.createElement('button');
    button.tabIndex = -1;
    button.addEventListener('click', (event) => {
      event.stopPropagation();
      if (event.isTrusted) void chrome.runtime.sendMessage({ to: 'tab_indicator', type: 'command', command, x: event.clientX, y: event.clientY });
    });
    return button;
  }

  /** @param {MouseEvent} event */
  function onMouseMove(event) {
    const box = pill.getBoundingClientRect();
    const over = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!over) pill.classList.remove('clickable');
    else if (event.isTrusted && !pill.classList.contains('clickable')) {
      void chrome.runtime.sendMessage({ to: 'tab_indicator', type: 'is_user_mouse' }).then((isUser) => pill.classList.toggle('clickable', isUser === true));
    }
  }

  function isIntact() {
    const kept = host.getAttributeNames();
    const isRaised = host.matches(':popover-open');
    return isRaised && host.isConnected && host.parentNode === document.documentElement && kept.length === ATTRIBUTES.size && kept.every((name) => host.getAttribute(name) === ATTRIBUTES.get(name));
  }

  /** Undoes what the page did to the indicator; gives up, and the tab, if it keeps doing so. */
  function restore() {
    if (!shown || isIntact()) return;
    const now = Date.now();
    restores = [...restores.filter((at) => now - at < RESTORE_WINDOW_MS), now];
    if (restores.length > MAX_RESTORES) {
      remove();
      void chrome.runtime.sendMessage({ to: 'tab_indicator', type: 'lost' });
    } else show();
  }

  function show() {
    shown = true;
    for (const name of host.getAttributeNames()) if (!ATTRIBUTES.has(name)) host.removeAttribute(name);
    for (const [name, value] of ATTRIBUTES) if (host.getAttribute(name) !== value) host.setAttribute(name, value);
    if (document.documentElement && (!host.isConnected || host.parentNode !== document.documentElement)) document.documentElement.append(host);
    raise();
    // The page may have a new root element, and document.open() removes listeners.
    observer.disconnect();
    observer.observe(document, { childList: true });
    if (document.documentElement) observer.observe(document.documentElement, { childList: true });
    observer.observe(host, { attributes: true });
    window.addEventListener('mousemove', onMouseMove, { capture: true, passive: true });
    host.addEventListener('toggle', restore);
    document.addEventListener('fullscreenchange', raise);
  }

  /** Brings it to the front of the top layer. */
  function raise() {
    if (!host.isConnected) return;
    try {
      if (host.matches(':popover-open')) host.hidePopover();
      host.showPopover();
    } catch {
      // The document is being replaced: the observer notices it.
    }
  }

  function remove() {
    shown = false;
    observer.disconnect();
    host.remove();
    window.removeEventListener('mousemove', onMouseMove, true);
    document.removeEventListener('fullscreenchange', raise);
    chrome.runtime.onMessage.removeListener(onMessage);
    world.browserPilotIndicator = false;
  }

  /** @param {{ to?: string, type?: string, state: string, label: string, review: string, pause: string, stop: string }} message */
  function onMessage(message) {
    if (message.to !== 'indicator') return;
    if (message.type === 'remove') {
      remove();
      return;
    }
    label.textContent = message.label;
    pill.dataset.state = message.state;
    for (const [button, text] of /** @type {const} */ ([[review, message.review], [pause, message.pause], [stop, message.stop]])) {
      button.textContent = text;
      button.hidden = text === '';
    }
    if (!shown) show();
  }

  chrome.runtime.onMessage.addListener(onMessage);
})();
