"""Sensitive elements are detected on real pages, and need approval at the configured risk."""

from __future__ import annotations

import pytest

from tests.clients import call, fail, text_of
from tests.conftest import HubWith
from tests.hub_process import HubProcess
from tests.sites import serving

from .simulated_users import SimulatedUser, asking_client, form_response

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1>
<button>Next</button><button>Jetzt bezahlen</button><button onclick="confirm('Delete your account?')">More</button>
<form action=/go onsubmit="event.preventDefault()"><label>Card number <input autocomplete=cc-number></label></form>"""
# Ways to hide what a control does. Each has an effect that the server would see: a request for /done.
WAYS = """<!doctype html><html lang=en><meta charset=utf-8><title>Ways</title>
<script>const done = (way) => fetch('/done?' + way)</script>
<button id=label aria-label="Show details" onclick="done('label')">Pay now</button>
<button id=inner onclick="done('inner')"><span aria-label="Show details">Delete account</span></button>
<button id=title title="Buy now" onclick="done('title')">›</button>
<button id=icon class="btn btn-delete" onclick="done('icon')"><svg width=20 height=20><path d="M0 0h20v20z" /></svg>
</button>
<button id=image onclick="done('image')"><img src="/img/pay-now.png" width=20 height=20></button>
<button id=cyrillic onclick="done('cyrillic')">Рау nоw</button>
<button id=mathematical onclick="done('mathematical')">𝗣𝗮𝘆 𝗻𝗼𝘄</button>
<button id=spaced onclick="done('spaced')">P a y  n o w</button>
<button id=russian onclick="done('russian')">Оплатить</button>
<label id=named onclick="done('named')">Pay now <input type=checkbox id=box></label>
<select id=choice onchange="done('choice')"><option>Choose<option value=x>Pay now<option>Order history</select>
<a id=link href="/pay">Continue</a>
<div role=dialog aria-label="Delete account?"><button id=dialog onclick="done('dialog')">OK</button></div>
<form id=transfer action="/done?transfer" method=post><input name=iban><input name=amount>
<button id=unnamed><svg width=20 height=20><rect width=20 height=20 /></svg></button></form>
<form id=card onsubmit="event.preventDefault(); done('card')"><label>Number <input autocomplete=cc-number></label>
<label>Note <textarea></textarea></label></form>
<button id=harmless onclick="document.title = 'Harmless'">Payment methods</button>
<script>addEventListener('keydown', (key) => { if (key.ctrlKey && key.key === 'Enter') done('shortcut') })</script>"""
SETTINGS = '[policy]\napproval_timeout_s = 20\n[policy.ask_from]\nloopback = "high"\n'


async def test_only_sensitive_actions_need_approval(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    person = SimulatedUser([form_response("Deny"), form_response("Deny"), form_response("Allow once")])
    with serving({"/": PAGE}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_click", element={"role": "button", "name": "Next"})
            assert person.forms == []
            pay = {"role": "button", "name": "Jetzt bezahlen"}
            assert (await fail(client, "browser_click", element=pay))["error"] == "APPROVAL_DENIED"
            assert "Click button “Jetzt bezahlen”" in person.forms[0].message
            # Enter in the card field submits a payment form.
            card = {"role": "textbox", "name": "Card number"}
            error = await fail(client, "browser_type", element=card, text="4111111111111111", submit=True)
            assert error["error"] == "APPROVAL_DENIED"
            assert "4111" not in person.forms[1].message
            opened = await call(client, "browser_click", element={"role": "button", "name": "More"})
            assert opened["dialog"]
            await call(client, "browser_dialog", accept=True)
            assert "Delete your account?" in person.forms[2].message


@pytest.mark.timeout(300)  # twenty approval requests, each with a screenshot
async def test_ways_to_hide_what_a_control_does_need_approval(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    clicks = "label inner title icon image cyrillic mathematical spaced russian named box link dialog unnamed"
    ways: list[tuple[str, dict[str, object]]] = [
        *(("browser_click", {"element": f"#{name}"}) for name in clicks.split()),
        ("browser_select", {"element": "#choice", "values": ["x"]}),
        ("browser_fill_form", {"fields": [{"element": "#choice", "value": "Pay now"}]}),
        ("browser_press", {"key": "Control+Enter"}),
        ("browser_press", {"key": "Control+Enter", "element": "textarea"}),
        ("browser_press", {"key": "Enter", "element": {"role": "textbox", "name": "Number"}}),
    ]
    person = SimulatedUser([form_response("Deny")] * len(ways))
    with serving({"/": WAYS, "/pay": "paid", "/done": "done", "/account/delete": "deleted"}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_click", element="#harmless")
            assert person.forms == []
            results = [(way, await client.call_tool(*way)) for way in ways]
            unasked = [(way, text_of(result)) for way, result in results if "APPROVAL_DENIED" not in text_of(result)]
            assert unasked == []
            person.scripted.append(form_response("Deny"))
            deletion = await fail(client, "browser_navigate", url=site.url("/account/delete?id=1"))
            assert deletion["error"] == "APPROVAL_DENIED"
            await call(client, "browser_select", element="#choice", values=["Order history"])
            assert len(person.forms) == len(ways) + 1
        effects = [hit for hit in site.hits if hit.startswith(("/done", "/pay", "/account"))]
        assert set(effects) <= {"/done?choice"}, "only the harmless option was selected"


async def test_on_loopback_nothing_needs_approval_by_default(hub: HubProcess) -> None:
    person = SimulatedUser()
    with serving({"/": PAGE}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_click", element={"role": "button", "name": "Jetzt bezahlen"})
    assert person.forms == []
