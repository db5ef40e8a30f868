// Scrolling: the page, a box in it, or whatever holds an element.

/** @param {Element} element */
function canScroll(element) {
  if (element === document.scrollingElement) return true;
  const { overflowX, overflowY } = getComputedStyle(element);
  return (element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(overflowY))
    || (element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(overflowX));
}

/** The nearest box around an element that scrolls, itself included; the page's largest when there is no element. @param {Element | null} element @returns {Element} */
function scrollerOf(element) {
  const page = document.scrollingElement ?? document.documentElement;
  if (element === null) {
    if (page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1) return page;
    const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    return middle ? scrollerOf(middle) : page;
  }
  for (let node = /** @type {Element | null} */ (element); node; node = parentOf(node)) if (canScroll(node)) return node;
  return page;
}

/**
 * Scrolls by pixels or to an end, or brings an element into view.
 * @param {string | null} ref @param {{ dx: number, dy: number, to: 'top' | 'bottom' | 'element' | null }} wish
 */
pilot.scroll = function scroll(ref, wish) {
  const element = ref === null ? null : elementOf(ref);
  if (ref !== null && element === null) return goneTrouble(ref);
  startWatch();
  if (wish.to === 'element') {
    element?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return { moved: true, scroll: placeOf(scrollerOf(element)) };
  }
  const box = scrollerOf(element);
  const before = [box.scrollLeft, box.scrollTop];
  if (wish.to === 'top') box.scrollTo({ top: 0, behavior: 'instant' });
  else if (wish.to === 'bottom') box.scrollTo({ top: box.scrollHeight, behavior: 'instant' });
  else box.scrollBy({ left: wish.dx, top: wish.dy, behavior: 'instant' });
  return { moved: box.scrollLeft !== before[0] || box.scrollTop !== before[1], scroll: placeOf(box) };
};

/** @param {Element} box */
function placeOf(box) {
  const high = box === document.scrollingElement ? innerHeight : box.clientHeight;
  return { top: Math.round(box.scrollTop), left: Math.round(box.scrollLeft), height: high, whole: box.scrollHeight };
}

/** Where the page is scrolled to now, once it is quiet. @param {string | null} ref */
pilot.scrolled = async function scrolled(ref) {
  const told = await pilot.settled();
  const element = ref === null ? null : elementOf(ref);
  return { ...told, scroll: placeOf(scrollerOf(element)) };
};
