"""Text and keys without an element are authorized for the element that has the focus."""

from __future__ import annotations

import pytest

from tests.clients import call, fail
from tests.conftest import HubWith
from tests.sites import serving

from .simulated_users import SimulatedUser, asking_client, form_response

pytestmark = pytest.mark.browser

SETTINGS = '[policy]\napproval_timeout_s = 60\n[policy.ask_from]\nloopback = "high"\n'
PAGE = """<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1><input id=note aria-label=Note
  oninput="document.title = this.value">
<form onsubmit="event.preventDefault(); fetch('/paid')"><label>Card number
<input id=card autocomplete=cc-number></label><button>Pay now</button></form>"""


async def test_text_goes_to_the_focus_and_asks_as_for_its_field(hub_with: HubWith) -> None:
    person = SimulatedUser([form_response("Deny")] * 3)
    with serving({"/": PAGE, "/paid": "paid"}) as site:
        async with asking_client(hub_with(SETTINGS), person) as client:
            await call(client, "browser_navigate", url=site.url())
            assert (await fail(client, "browser_type", text="x"))["error"] == "ELEMENT_NOT_FOUND"
            await call(client, "browser_click", element="#note")
            typed = await call(client, "browser_type", text="Hello")
            assert typed["title"] == "Hello"
            assert person.forms == []
            await call(client, "browser_press", key="Tab")
            error = await fail(client, "browser_type", text="4111111111111111", submit=True)
            assert error["error"] == "APPROVAL_DENIED"
            assert "4111" not in person.forms[0].message
            # The first key needs no approval, but Enter, which submits, does.
            error = await fail(client, "browser_press", key=["Home", "Enter"])
            assert error["error"] == "APPROVAL_DENIED"
            error = await fail(client, "browser_press", key="Home Enter", element="#card")
            assert error["error"] == "APPROVAL_DENIED"
        assert "/paid" not in site.hits
