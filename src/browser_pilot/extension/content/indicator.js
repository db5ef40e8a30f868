/**
 * The pill in a driven page that says so, with Pause and Stop. Injected into the extension's own world of the page.
 *
 * It lives in a closed shadow root, and lets the mouse through until the user's own mouse is over it: so it is never in an agent's
 * way, and an agent cannot press it. No module, because content scripts are none.
 */

(() => {
  const here = /** @type {typeof globalThis & { browserPilotSign?: boolean }} */ (globalThis);
  if (here.browserPilotSign || window !== window.top || !document.documentElement) return;
  here.browserPilotSign = true;

  const STYLE = `
    :host { all: initial; }
    div { position: fixed; right: 12px; bottom: 12px; z-index: 2147483647; display: flex; gap: 8px; align-items: center;
      padding: 4px 6px 4px 10px; border-radius: 999px; font: 12px/1.45 system-ui, sans-serif; color: #fff; background: #1f2937e6;
      box-shadow: 0 0 0 1px #ffffff55, 0 2px 8px #0004; pointer-events: none; opacity: .85; }
    div.free { pointer-events: auto; opacity: 1; }
    i { width: 8px; height: 8px; border-radius: 50%; background: #4ade80; }
    div.halted i { background: #fbbf24; border-radius: 2px; }
    button { all: unset; padding: 1px 8px; border-radius: 999px; background: #ffffff26; cursor: pointer; }
    button:hover { background: #ffffff4d; }
    @media print { div { display: none; } }`;

  const host = document.createElement('browser-pilot-sign');
  host.setAttribute('aria-hidden', 'true');
  const root = host.attachShadow({ mode: 'closed' });
  const style = document.createElement('style');
  style.textContent = STYLE;
  const pill = document.createElement('div');
  const words = document.createElement('span');
  const pause = button(() => (pill.classList.contains('halted') ? 'resume' : 'pause'));
  const stop = button(() => 'stop');
  pill.append(document.createElement('i'), words, pause, stop);
  root.append(style, pill);

  /** @param {() => string} word */
  function button(word) {
    const made = document.createElement('button');
    made.tabIndex = -1;
    made.addEventListener('click', (event) => {
      event.stopPropagation();
      if (event.isTrusted) void chrome.runtime.sendMessage({ to: 'sign', word: word(), x: event.clientX, y: event.clientY });
    });
    return made;
  }

  /** @param {MouseEvent} event */
  function watchMouse(event) {
    const box = pill.getBoundingClientRect();
    const over = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!over) pill.classList.remove('free');
    else if (event.isTrusted && !pill.classList.contains('free')) {
      void chrome.runtime.sendMessage({ to: 'sign', ask: 'free' }).then((free) => pill.classList.toggle('free', free === true));
    }
  }

  /** @param {{ to?: string, gone?: boolean, label: string, halted: string, pause: string, resume: string, stop: string }} state */
  function take(state) {
    if (state.to !== 'page') return;
    if (state.gone) {
      host.remove();
      window.removeEventListener('mousemove', watchMouse, true);
      chrome.runtime.onMessage.removeListener(take);
      here.browserPilotSign = false;
      return;
    }
    words.textContent = state.label;
    pill.classList.toggle('halted', state.halted !== '');
    pause.textContent = state.halted ? state.resume : state.pause;
    stop.textContent = state.stop;
    stop.hidden = state.halted === 'stopped';
    if (!host.isConnected) document.documentElement.append(host);
  }

  chrome.runtime.onMessage.addListener(take);
  window.addEventListener('mousemove', watchMouse, { capture: true, passive: true });
})();
