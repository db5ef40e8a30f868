"""A page that changes an approved form in its own handlers: what was not shown is not sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from tests.hub_process import HubProcess
from tests.sites import serving

from .simulated_users import asking_client, form_response

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang=en><title>Checkout</title><h1>Checkout</h1>
<form id=form action=pay><input type=hidden name=amount value=1><input name=note aria-label=Note>
<select name=to><option>Ada<option>Bob</select><button id=pay name=by value=button>Pay now</button></form>
<script>%s</script></html>"""
BASE = "const base = document.createElement('base'); base.href = '/steal/'; document.head.append(base)"
HANDLERS = {
    "click sets the amount": "pay.onclick = () => { form.amount.value = 999 }",
    "a listener of the window at the click": "addEventListener('click', () => { form.amount.value = 999 })",
    "submit sets the amount": "form.onsubmit = () => { form.amount.value = 999 }",
    "submit at the window": "addEventListener('submit', () => { form.amount.value = 999 })",
    "submit sets the action": "form.onsubmit = () => { form.action = '/steal' }",
    "submit sets the button's action": "form.onsubmit = () => { pay.formAction = '/steal' }",
    "submit selects another": "form.onsubmit = () => { form.to.value = 'Bob' }",
    "submit changes the base": f"form.onsubmit = () => {{ {BASE} }}",
    "formdata sets the amount": "form.addEventListener('formdata', (e) => e.formData.set('amount', 999))",
    "formdata adds a field": "form.addEventListener('formdata', (e) => e.formData.append('amount', 999))",
    "formdata sets the action": "form.addEventListener('formdata', () => { form.action = '/steal' })",
    "submit by script": "form.onsubmit = (e) => { e.preventDefault(); form.amount.value = 999; form.submit() }",
}
HARMLESS = {
    "nothing": "",
    "a button that disables itself": "form.onsubmit = () => { pay.disabled = true }",
    "data that the page sends itself": "form.onsubmit = (e) => { e.preventDefault(); new FormData(form) };"
    " form.onformdata = (e) => fetch('/pay?' + new URLSearchParams(e.formData))",
    "another form, later": "form.onsubmit = (e) => { e.preventDefault();"
    " setTimeout(() => { const twin = form.cloneNode(true); document.body.append(twin); twin.submit() }, 50) }",
    "validation first": "form.onsubmit = (e) => { e.preventDefault(); setTimeout(() => form.submit(), 50) }",
}


SENT = ("/pay?amount=1&note=&to=Ada&by=button", "/pay?amount=1&note=&to=Ada")
SUBMITTING: dict[str, tuple[str, dict[str, str]]] = {
    "click": ("browser_click", {"element": "#pay"}),
    "enter": ("browser_press", {"element": "[name=note]", "key": "Enter"}),
}
SHOWN_CHANGES = {
    "click sets the amount": "amount: 1 (hidden field) → 999 (hidden field)",
    "submit sets the action": "/pay → 127.0.0.1",
    "submit selects another": "to: Ada → Bob",
}
ENTER = ("click sets the amount", "submit sets the action", "formdata sets the amount")


@dataclass
class Buyer:
    """Approves the first request of each page only."""

    messages: list[str] = field(default_factory=list[str])

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        self.messages.append(params.message)
        return form_response("Allow once" if len(self.messages) == 1 else "Deny")


@asynccontextmanager
async def shopping(hub: HubProcess) -> AsyncGenerator[Callable[[str, str], Awaitable[tuple[list[str], list[str]]]]]:
    """Submits the form of a page with a script; returns the requests that were sent, and the approval requests."""
    buyer = Buyer()
    page = "<title>Sent</title>"
    with serving({"/pay": page, "/steal": page, "/steal/pay": page}) as site:
        async with asking_client(hub, buyer, name="buyer") as client:

            async def submit(script: str, how: str) -> tuple[list[str], list[str]]:
                site.pages["/"] = PAGE % script
                del site.hits[:], buyer.messages[:]
                await client.call_tool("browser_navigate", {"url": site.url()})
                tool, arguments = SUBMITTING[how]
                await client.call_tool(tool, {**arguments, "timeout_ms": 3_000})
                await client.call_tool("browser_wait_for", {"load": "networkidle", "timeout_ms": 5_000})
                return [hit for hit in site.hits if hit.startswith(("/pay", "/steal"))], list(buyer.messages)

            yield submit


async def test_what_a_handler_changed_is_not_sent_on_one_approval(asking_hub: HubProcess) -> None:
    async with shopping(asking_hub) as submit:
        for kind, script in HANDLERS.items():
            for how in ("click", "enter") if kind in ENTER else ("click",):
                sent, asked = await submit(script, how)
                assert set(sent) <= set(SENT), f"{kind}, {how}: {sent}"
                if kind in SHOWN_CHANGES:
                    first, second = asked
                    assert "Changed since you agreed" not in first
                    assert SHOWN_CHANGES[kind] in second


async def test_the_form_its_receiver_and_the_amount_are_shown(asking_hub: HubProcess) -> None:
    async with shopping(asking_hub) as submit:
        _, (own,) = await submit("", "click")
        _, (other,) = await submit("form.action = 'http://localhost:' + location.port + '/steal'", "click")
    lines = own.splitlines()
    assert any(line.startswith("Sends a form to 127.0.0.1:") and line.endswith("/pay") for line in lines)
    assert {"Amount: 1 (amount)", "  amount: 1 (hidden field)", "  to: Ada"} <= set(lines)
    assert "ANOTHER SITE" not in own
    assert "Sends a form to ANOTHER SITE: localhost:" in other


async def test_a_form_that_its_handlers_leave_alone_is_sent(asking_hub: HubProcess) -> None:
    async with shopping(asking_hub) as submit:
        for kind, script in HARMLESS.items():
            sent, asked = await submit(script, "click")
            assert len(sent) == 1 and sent[0] in SENT, f"{kind}: {sent}"
            assert len(asked) == 1
