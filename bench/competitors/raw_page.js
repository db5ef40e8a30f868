// Page script of raw_cdp.py. One expression: an object with the functions that the Python side calls.
({
  refs: new Map(),
  next: 0,

  frame: () => new Promise((resolve) => requestAnimationFrame(() => resolve())),

  /** Waits until the element is in view, stable and on top at its centre. Returns that point. */
  async waitActionable(ref) {
    const element = this.refs.get(ref);
    if (!element?.isConnected) throw new Error(`no element ${ref}`);
    const inView = (box) => box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    if (!inView(element.getBoundingClientRect())) element.scrollIntoView({ block: "center", behavior: "instant" });
    for (let tries = 0; tries < 60; tries++) {
      const before = element.getBoundingClientRect();
      await this.frame();
      const after = element.getBoundingClientRect();
      if (before.top === after.top && before.left === after.left && after.width > 0 && this.isOnTop(element, after)) {
        return { x: after.left + after.width / 2, y: after.top + after.height / 2 };
      }
    }
    throw new Error(`${ref} is covered, empty or moving`);
  },

  isOnTop(element, box) {
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return hit !== null && (element.contains(hit) || hit.contains(element));
  },

  /** Hit test after the hover. Starts to observe mutations. */
  hitTest(ref, x, y) {
    const hit = document.elementFromPoint(x, y);
    const element = this.refs.get(ref);
    this.observeMutations();
    return hit !== null && (element.contains(hit) || hit.contains(element));
  },

  /** Starts to observe mutations. */
  observeMutations() {
    this.changed = false;
    this.observer = new MutationObserver(() => { this.changed = true; });
    this.observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  },

  /** Waits until a frame has no mutation, at most ten frames. */
  async waitIdle() {
    for (let frames = 0; frames < 10; frames++) {
      this.changed = false;
      await this.frame();
      await new Promise((resolve) => setTimeout(resolve));
      if (!this.changed) break;
    }
    this.observer.disconnect();
  },

  focus(ref) {
    const element = this.refs.get(ref);
    if (!element?.isConnected || element.disabled || element.readOnly) throw new Error(`${ref} is not editable`);
    element.scrollIntoViewIfNeeded();
    element.focus();
    element.select();
    return document.activeElement === element;
  },

  valueOf(ref) {
    return this.refs.get(ref).value;
  },

  async waitForText(wanted) {
    const present = () => document.body.innerText.includes(wanted);
    if (present()) return;
    await new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!present()) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    });
  },

  /** Plain tree walk: one line per control, heading and image, and the text between them. */
  snapshot() {
    const lines = [];
    const roles = {
      A: "link", BUTTON: "button", SELECT: "combobox", TEXTAREA: "textbox", IMG: "img", SUMMARY: "button",
      H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading", OPTION: "option",
    };
    const inputs = { checkbox: "checkbox", radio: "radio", range: "slider", submit: "button", button: "button" };
    const refOf = (element) => {
      element.benchRef ??= `r${this.next++}`;
      this.refs.set(element.benchRef, element);
      return element.benchRef;
    };
    const nameOf = (element) =>
      (element.getAttribute("aria-label") || element.alt || element.labels?.[0]?.innerText || "").trim() ||
      (element.innerText ?? "").trim().replace(/\s+/g, " ") || element.title || element.placeholder || "";
    const visit = (node, depth) => {
      if (node.nodeType === Node.TEXT_NODE) {
        const text = node.data.trim();
        if (text) lines.push(`${" ".repeat(depth)}${text.replace(/\s+/g, " ")}`);
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE) return;
      const style = getComputedStyle(node);
      if (style.display === "none" || style.visibility === "hidden") return;
      const box = node.getBoundingClientRect();
      const role = node.getAttribute("role") ?? (node.tagName === "INPUT" ? inputs[node.type] ?? "textbox" : roles[node.tagName]);
      if (role && (box.width > 0 || node.tagName === "OPTION")) {
        const value = "value" in node && node.type !== "password" && node.value ? ` = ${node.value}` : "";
        lines.push(`${" ".repeat(depth)}[${refOf(node)}] ${role} "${nameOf(node)}"${value}`);
        if (roles[node.tagName] || node.tagName === "INPUT") return;
      }
      for (const child of (node.shadowRoot ?? node).childNodes) visit(child, depth + (role ? 1 : 0));
    };
    visit(document.body, 0);
    return `${location.href}\n${document.title}\n${lines.join("\n")}`;
  },
})
