// Makes sure that an approved link leads where it was approved to lead: the page's own handlers may change it during the click.

/** A page may check something before it goes on. */
export const GUARD_TIMEOUT_MS = 10_000;

/** @type {() => void} */
let endLinkGuard = () => {};

/** @param {HTMLAnchorElement} link */
function destinationOf(link) {
  return JSON.stringify([link.href, link.target, link.getAttribute('download')]);
}

/** Guards the link of an element from now on, as it is now. @param {Element} element @param {() => void} stopped called when it was about to lead elsewhere */
export function guardLink(element, stopped) {
  endLinkGuard();
  const link = /** @type {HTMLAnchorElement | null} */ (element.closest('a[href], area[href]'));
  if (!link) return;
  const { href } = link;
  const destination = destinationOf(link);
  /** @param {Event} event @param {boolean} isChanged */
  const checkLink = (event, isChanged) => {
    if (!isChanged || event.defaultPrevented) return;
    event.preventDefault();
    stopped();
  };
  /** @param {Event} event */
  const onClick = (event) => checkLink(event, event.composedPath().includes(link) && destinationOf(link) !== destination);
  // A listener that is added while the event is on its way down is called after the page's own.
  const listenLast = () => addEventListener('click', onClick, { once: true });
  // Also where a listener of the page stopped the event.
  /** @param {NavigateEvent} event */
  const onNavigate = (event) => checkLink(event, event.sourceElement === link && event.destination.url !== href);
  addEventListener('click', listenLast, { capture: true });
  globalThis.navigation?.addEventListener('navigate', onNavigate);
  const timer = setTimeout(() => endLinkGuard(), GUARD_TIMEOUT_MS);
  endLinkGuard = () => {
    clearTimeout(timer);
    removeEventListener('click', listenLast, { capture: true });
    globalThis.navigation?.removeEventListener('navigate', onNavigate);
    endLinkGuard = () => {};
  };
}
