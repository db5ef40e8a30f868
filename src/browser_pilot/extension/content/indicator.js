/**
 * The indicator in a controlled page, with Pause and Stop. Injected into the extension's isolated world of the page.
 *
 * It is in a closed shadow root and ignores the mouse until the user's own mouse is over it: it never covers what an agent clicks, and an
 * agent cannot click it. Not a module: content scripts cannot be.
 */

(() => {
  const world = /** @type {typeof globalThis & { browserPilotIndicator?: boolean }} */ (globalThis);
  if (world.browserPilotIndicator || window !== window.top || !document.documentElement) return;
  world.browserPilotIndicator = true;

  const STYLE = `
    :host { all: initial; }
    div { position: fixed; right: 12px; bottom: 12px; z-index: 2147483647; display: flex; gap: 8px; align-items: center;
      padding: 4px 6px 4px 10px; border-radius: 999px; font: 12px/1.45 system-ui, sans-serif; color: #fff; background: #1f2937e6;
      box-shadow: 0 0 0 1px #ffffff55, 0 2px 8px #0004; pointer-events: none; opacity: .85; }
    div.clickable { pointer-events: auto; opacity: 1; }
    i { width: 8px; height: 8px; border-radius: 50%; background: #4ade80; }
    div.halted i { background: #fbbf24; border-radius: 2px; }
    button { all: unset; padding: 1px 8px; border-radius: 999px; background: #ffffff26; cursor: pointer; }
    button:hover { background: #ffffff4d; }
    @media print { div { display: none; } }`;

  const host = document.createElement('browser-pilot-indicator');
  host.setAttribute('aria-hidden', 'true');
  const root = host.attachShadow({ mode: 'closed' });
  const style = document.createElement('style');
  style.textContent = STYLE;
  const pill = document.createElement('div');
  const label = document.createElement('span');
  const pause = createButton(() => (pill.classList.contains('halted') ? 'resume' : 'pause'));
  const stop = createButton(() => 'stop');
  pill.append(document.createElement('i'), label, pause, stop);
  root.append(style, pill);

  /** @param {() => string} command */
  function createButton(command) {
    const button = document.createElement('button');
    button.tabIndex = -1;
    button.addEventListener('click', (event) => {
      event.stopPropagation();
      if (event.isTrusted) void chrome.runtime.sendMessage({ to: 'tab_indicator', type: 'command', command: command(), x: event.clientX, y: event.clientY });
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

  /** @param {{ to?: string, type?: string, label: string, halted: string, pause: string, resume: string, stop: string }} message */
  function onMessage(message) {
    if (message.to !== 'indicator') return;
    if (message.type === 'remove') {
      host.remove();
      window.removeEventListener('mousemove', onMouseMove, true);
      chrome.runtime.onMessage.removeListener(onMessage);
      world.browserPilotIndicator = false;
      return;
    }
    label.textContent = message.label;
    pill.classList.toggle('halted', message.halted !== '');
    pause.textContent = message.halted ? message.resume : message.pause;
    stop.textContent = message.stop;
    stop.hidden = message.halted === 'stopped';
    if (!host.isConnected) document.documentElement.append(host);
  }

  chrome.runtime.onMessage.addListener(onMessage);
  window.addEventListener('mousemove', onMouseMove, { capture: true, passive: true });
})();
