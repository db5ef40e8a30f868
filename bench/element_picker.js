// What `bench.selectors` does in a page: picks elements, draws the page anew, and looks whether the selectors still find them.
({
  pick(most) {
    const controls =
      'a[href], button, input:not([type=hidden]), select, textarea, summary, h1, h2, h3, h4, h5, h6, img, [role], td, th';
    const says = (one) => [...one.childNodes].some((node) => node instanceof Text && node.data.trim());
    const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 0;
    const isMeant = (one) =>
      (one.matches(controls) || says(one)) && !one.closest('svg, script, style, noscript') && shown(one);
    const meant = [...document.body.querySelectorAll('*')].filter(isMeant);
    const step = Math.max(1, meant.length / most);
    const picked = Array.from({ length: Math.min(most, meant.length) }, (_, index) => meant[Math.floor(index * step)]);
    const told = picked.map((one) => {
      const [best] = browserPilotPage.selectorsOf(one);
      return { kind: 'none', ...best, html: one.outerHTML.slice(0, 160) };
    });
    picked.forEach((one, index) => one.setAttribute('data-mark', index));
    return told;
  },

  redraw() {
    const made = /(?:^|[-_])(?=\w*\d)(?=\w*[a-z])\w{5,}$/i;
    const another = (name) => (made.test(name) ? `x${Math.random().toString(36).slice(2)}` : name);
    const entry = 'An entry that came later';
    for (const one of document.body.querySelectorAll('[class]:not(svg, svg *)')) {
      one.className = [...one.classList].reverse().map(another).join(' ');
    }
    for (const list of document.body.querySelectorAll('ul, ol')) list.insertAdjacentHTML('afterbegin', `<li>${entry}</li>`);
    for (const body of document.body.querySelectorAll('tbody')) {
      body.insertAdjacentHTML('afterbegin', `<tr><td>${entry}</td></tr>`);
    }
    for (const script of document.body.querySelectorAll('script')) script.remove();
    document.body.innerHTML = `<div>Something is new here</div><div><div>${document.body.innerHTML}</div></div>`;
  },

  check(selectors) {
    return selectors.map((selector, index) => {
      const found = selector ? browserPilotPage.find(selector) : [];
      return found.length === 1 && found[0].getAttribute('data-mark') === String(index);
    });
  },
});
