"""Sensitive elements are detected on real pages, and need approval at the configured risk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import call, fail
from tests.hub_process import running_hub
from tests.sites import serving

from .simulated_users import SimulatedUser, asking_client, configure, form_response

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1>
<button>Next</button><button>Jetzt bezahlen</button><button onclick="confirm('Delete your account?')">More</button>
<form action=/go onsubmit="event.preventDefault()"><label>Card number <input autocomplete=cc-number></label></form>"""
SETTINGS = '[policy]\napproval_timeout_s = 20\n[policy.ask_from]\nloopback = "high"\n'


async def test_only_sensitive_actions_need_approval(home: Path) -> None:
    configure(home, SETTINGS)
    person = SimulatedUser([form_response("Deny"), form_response("Deny"), form_response("Allow once")])
    with serving({"/": PAGE}) as site, running_hub(home) as hub:
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


async def test_on_loopback_nothing_needs_approval_by_default(home: Path) -> None:
    person = SimulatedUser()
    with serving({"/": PAGE}) as site, running_hub(home) as hub:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_click", element={"role": "button", "name": "Jetzt bezahlen"})
    assert person.forms == []
