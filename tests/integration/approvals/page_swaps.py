"""Ways in which a page changes what an approved action would do: the page, and a script for each kind of change.

Whatever a page does, the server may get one request of an approved action: the one that was shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FORM = """<form id=form action=pay method=post><input type=hidden id=amount name=amount value=10>
<input id=note name=note aria-label=Note value=hi>
<select id=to name=to><option value=ada>Ada<option value=bob>Bob</select>
<label><input type=checkbox id=wrap name=wrap value=yes> Gift</label><button id=pay>Pay 10</button></form>"""
SHOWN = "POST /pay application/x-www-form-urlencoded amount=10&note=hi&to=ada"
LINK_SHOWN = "GET /pay?link=10"
LABEL_SHOWN = "GET /pay?box=small"
SHADOW_SHOWN = "GET /pay?shadow=10"
SHADOW_FORM = "<form action=/pay><input type=hidden name=shadow value=10><button>Pay in shadow</button></form>"
PAGE = f"""<!doctype html><html lang=en><title>Checkout</title><h1>Checkout</h1>{FORM}
<form id=other action=/steal method=post><input type=hidden name=amount value=10></form>
<p><a id=link href="/pay?link=10">Pay by link</a></p>
<label id=agree for=small>Agree</label><input type=checkbox id=small onchange="fetch('/pay?box=small')">
<input type=checkbox id=large onchange="fetch('/steal?box=large')">
<div id=host></div>
<script>
host.attachShadow({{ mode: 'open' }}).innerHTML = '{SHADOW_FORM}';
const extra = (form, name, value) => {{
  form.append(Object.assign(document.createElement('input'), {{ type: 'hidden', name, value }}));
}};
const created = () => {{
  const form = Object.assign(document.createElement('form'), {{ action: '/steal', method: 'post' }});
  document.body.append(form);
  return form;
}};
const changes = {{}};
CHANGES
// By a timer: a navigation waits for what the page requests at once.
setTimeout(async () => {{
  const kind = await (await fetch('/signal' + location.search)).text();
  changes[kind]();
  fetch('/changed', {{ keepalive: true }});
}}, 50);
</script></html>"""
FRAMED = PAGE.replace(FORM, '<iframe src="/framed" width=400 height=200></iframe>')
EXPENSIVE = f"<!doctype html><title>Checkout</title><h1>Checkout</h1>{FORM.replace('value=10>', 'value=1000>')}"
OVERLAY = """document.body.insertAdjacentHTML('beforeend',
  `<div style="position:fixed;inset:0;background:#fffa" onmousedown="fetch('/steal?overlay')"></div>`)"""
BASE = "document.head.append(Object.assign(document.createElement('base'), { href: '/steal/' }))"

CLICK: tuple[str, dict[str, Any]] = ("browser_click", {"element": "#pay"})
ENTER: tuple[str, dict[str, Any]] = ("browser_press", {"element": "#note", "key": "Enter"})
SPACE: tuple[str, dict[str, Any]] = ("browser_press", {"element": "#pay", "key": "Space"})
SUBMIT: tuple[str, dict[str, Any]] = (
    "browser_fill_form",
    {"fields": [{"element": "#note", "value": "hi"}], "submit": True},
)
LINK: tuple[str, dict[str, Any]] = ("browser_click", {"element": "#link"})
LABEL: tuple[str, dict[str, Any]] = ("browser_click", {"element": "#agree"})
SHADOW: tuple[str, dict[str, Any]] = ("browser_click", {"element": {"role": "button", "name": "Pay in shadow"}})
IN_FRAME: tuple[str, dict[str, Any]] = ("browser_click", {"element": {"role": "button", "name": "Pay 10"}})


@dataclass(frozen=True)
class Swap:
    """``is_refused``: made before the decision, it leads to another approval request. ``path`` is the page's."""

    script: str
    call: tuple[str, dict[str, Any]] = CLICK
    shown: str = SHOWN
    is_refused: bool = True
    by_handler: bool = False
    path: str = "/"


def handler(script: str, call: tuple[str, dict[str, Any]] = CLICK, shown: str = SHOWN) -> Swap:
    """The page's own handler makes the change, during the action itself."""
    return Swap(script, call, shown, is_refused=False, by_handler=True)


SWAPS: dict[str, Swap] = {
    # The target.
    "replaced": Swap("pay.remove(); other.innerHTML += '<button id=pay>Pay 10</button>'"),
    "moved": Swap("other.append(pay)"),
    "relabelled": Swap("pay.textContent = 'Pay 1000'; amount.value = 1000"),
    "aria-label": Swap("pay.setAttribute('aria-label', 'Save')"),
    "overlaid": Swap(OVERLAY, is_refused=False),
    "disabled": Swap("pay.disabled = true"),
    "enabled again elsewhere": Swap("pay.disabled = true; form.action = '/steal'; pay.disabled = false"),
    "form attribute": Swap("pay.setAttribute('form', 'other')"),
    "label for": Swap("agree.htmlFor = 'large'", LABEL, LABEL_SHOWN),
    "ids exchanged": Swap("small.id = ''; large.id = 'small'", LABEL, LABEL_SHOWN),
    "shadow root": Swap(
        "const twin = host.cloneNode(); host.replaceWith(twin);"
        f" twin.attachShadow({{ mode: 'open' }}).innerHTML = '{SHADOW_FORM.replace('/pay', '/steal')}'",
        SHADOW,
        SHADOW_SHOWN,
    ),
    "in the shadow root": Swap("host.shadowRoot.querySelector('input').value = 1000", SHADOW, SHADOW_SHOWN),
    "href": Swap("link.href = '/steal'", LINK, LINK_SHOWN),
    "link target": Swap("link.target = '_blank'", LINK, LINK_SHOWN),
    # The form and where it goes.
    "action": Swap("form.action = '/steal'"),
    "method": Swap("form.method = 'get'"),
    "target": Swap("form.target = '_blank'"),
    "enctype": Swap("form.enctype = 'text/plain'"),
    "formaction": Swap("pay.formAction = '/steal'"),
    "formmethod": Swap("pay.formMethod = 'get'"),
    "formtarget": Swap("pay.formTarget = '_blank'"),
    "formenctype": Swap("pay.formEnctype = 'multipart/form-data'"),
    "base": Swap(BASE),
    "base, enter": Swap(BASE, ENTER),
    "action, enter": Swap("form.action = '/steal'", ENTER),
    # What the form holds.
    "hidden field": Swap("amount.value = 1000"),
    "hidden field, enter": Swap("amount.value = 1000", ENTER),
    "text field": Swap("note.value = 'to Mallory'"),
    "checked": Swap("wrap.checked = true"),
    "selected": Swap("to.value = 'bob'"),
    "option value": Swap("to.options[0].value = 'bob'"),
    "option text": Swap("to.options[0].text = 'Bob'"),
    "field added": Swap("extra(form, 'tip', 1000)"),
    "field added, submit": Swap("extra(form, 'amount', 1000); form.action = '/steal'", SUBMIT),
    "field renamed": Swap("amount.name = 'tip'"),
    "field disabled": Swap("amount.disabled = true"),
    "field removed": Swap("amount.remove()"),
    "secret type": Swap("note.type = 'password'"),
    # The document.
    "hash": Swap("location.hash = 'x'"),
    "history": Swap("history.pushState(null, '', '/elsewhere?x')"),
    "tab navigated": Swap("location.href = '/expensive'"),
    "tab navigated, enter": Swap("location.href = '/expensive'", ENTER),
    "document replaced": Swap("document.body.innerHTML = document.body.innerHTML.replaceAll('pay', 'steal')"),
    "frame navigated": Swap("document.querySelector('iframe').src = '/expensive'", IN_FRAME, path="/inframe"),
    "frame replaced": Swap(
        "document.querySelector('iframe').outerHTML = '<iframe src=/expensive width=400 height=200></iframe>'",
        IN_FRAME,
        path="/inframe",
    ),
    # The page's own handlers.
    "pointerdown": handler("pay.onpointerdown = () => { amount.value = 1000 }"),
    "mousedown": handler("pay.onmousedown = () => { amount.value = 1000 }"),
    "mousedown moves the form": handler("pay.onmousedown = () => pay.setAttribute('form', 'other')"),
    "pointerup": handler("pay.onpointerup = () => { amount.value = 1000 }"),
    "mouseup": handler("pay.onmouseup = () => { form.action = '/steal' }"),
    "click": handler("pay.onclick = () => { amount.value = 1000 }"),
    "click at the window": handler("addEventListener('click', () => { form.action = '/steal' }, true)"),
    "click moves the form": handler("pay.onclick = () => pay.setAttribute('form', 'other')"),
    "click requests another form": handler("pay.onclick = () => other.requestSubmit()"),
    "click submits another form": handler("pay.onclick = () => other.submit()"),
    "click submits another form with fields like methods": handler(
        "pay.onclick = () => { for (const name of ['replaceWith', 'hasAttribute', 'remove']) extra(other, name, 1);"
        " HTMLFormElement.prototype.submit.call(other) }"
    ),
    "click submits a new form": handler("pay.onclick = () => created().submit()"),
    "click changes the link": handler("link.onclick = () => { link.href = '/steal' }", LINK, LINK_SHOWN),
    "click changes the link and stops": handler(
        "link.onclick = (event) => { event.stopPropagation(); link.href = '/steal' }", LINK, LINK_SHOWN
    ),
    "keydown": handler("note.onkeydown = () => { amount.value = 1000 }", ENTER),
    "keypress": handler("note.onkeypress = () => { form.action = '/steal' }", ENTER),
    "keyup moves the form": handler("pay.onkeyup = () => pay.setAttribute('form', 'other')", SPACE),
    "keydown elsewhere": handler("note.onkeydown = () => other.requestSubmit()", ENTER),
    "submit": handler("form.onsubmit = () => { amount.value = 1000 }"),
    "submit in the shadow root": handler(
        "host.shadowRoot.querySelector('form').onsubmit = (event) => { event.target.shadow.value = 1000 }",
        SHADOW,
        SHADOW_SHOWN,
    ),
    "submit stops": handler("form.onsubmit = (event) => { event.stopPropagation(); amount.value = 1000 }"),
    "submit, enter": handler("form.onsubmit = () => { amount.value = 1000 }", ENTER),
    "submit, form tool": handler("form.onsubmit = () => { form.action = '/steal' }", SUBMIT),
    "submit sends another form": handler(
        "form.onsubmit = (event) => { event.preventDefault(); other.requestSubmit() }"
    ),
    "submit sends another form later": handler(
        "form.onsubmit = (event) => { event.preventDefault(); Promise.resolve().then(() => other.submit()) }"
    ),
    "formdata": handler("form.addEventListener('formdata', (event) => event.formData.set('amount', 1000))"),
    "formdata adds": handler("form.addEventListener('formdata', (event) => event.formData.append('tip', 1000))"),
    "formdata stops": handler(
        "form.addEventListener('formdata', (event) => {"
        " event.stopImmediatePropagation(); event.formData.set('amount', 1000) })"
    ),
    "formdata at the window": handler(
        "addEventListener('formdata', (event) => {"
        " event.stopImmediatePropagation(); event.formData.set('amount', 1000) }, true)"
    ),
    "submit at the window": handler(
        "addEventListener('submit', (event) => { event.stopImmediatePropagation(); form.action = '/steal' }, true)"
    ),
}


def script_of(swaps: dict[str, Swap]) -> str:
    return "\n".join(f"changes[{kind!r}] = () => {{ {swap.script} }};" for kind, swap in swaps.items())


def pages() -> dict[str, Any]:
    """The pages of the shop."""
    script = script_of(SWAPS)
    framed = FRAMED.replace("CHANGES", script)
    return {"/": PAGE.replace("CHANGES", script), "/inframe": framed, "/framed": FORM, "/expensive": EXPENSIVE}
