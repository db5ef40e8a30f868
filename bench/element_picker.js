// Page script of `bench.selectors`: picks elements, re-renders the page and checks whether the selectors still match.
({
  pick(maxElements) {
    const controls =
      'a[href], button, input:not([type=hidden]), select, textarea, summary, h1, h2, h3, h4, h5, h6, img, [role], td, th';
    const hasText = (one) => [...one.childNodes].some((node) => node instanceof Text && node.data.trim());
    const isVisible = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 0;
    const isCandidate = (one) =>
      (one.matches(controls) || hasText(one)) && !one.closest('svg, script, style, noscript') && isVisible(one);
    const candidates = [...document.body.querySelectorAll('*')].filter(isCandidate);
    const step = Math.max(1, candidates.length / maxElements);
    const count = Math.min(maxElements, candidates.length);
    const picked = Array.from({ length: count }, (_, index) => candidates[Math.floor(index * step)]);
    const selectors = picked.map((one) => {
      const [best] = browserPilotPageSelectors.selectorsOf(one);
      return { kind: 'none', ...best, html: one.outerHTML.slice(0, 160) };
    });
    picked.forEach((one, index) => one.setAttribute('data-mark', index));
    return selectors;
  },

  rerender() {
    const generated = /(?:^|[-_])(?=\w*\d)(?=\w*[a-z])\w{5,}$/i;
    const renamed = (name) => (generated.test(name) ? `x${Math.random().toString(36).slice(2)}` : name);
    const entry = 'An entry that came later';
    for (const one of document.body.querySelectorAll('[class]:not(svg, svg *)')) {
      one.className = [...one.classList].reverse().map(renamed).join(' ');
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
      const found = selector ? browserPilotPageSelectors.findAll(selector) : [];
      return found.length === 1 && found[0].getAttribute('data-mark') === String(index);
    });
  },
});
