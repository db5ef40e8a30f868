"""A point of the viewport is authorized as the element that is there, and no other element gets the input."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from tests.clients import call, fail
from tests.conftest import HubWith
from tests.sites import serving

from .simulated_users import SimulatedUser, asking_client, form_response

pytestmark = pytest.mark.browser

SETTINGS = '[policy]\napproval_timeout_s = 60\n[policy.ask_from]\nloopback = "high"\n'
PLACE = "position:absolute;left:0;top:0;width:300px;height:100px"
PAY = f"<button id=pay style='{PLACE}' onclick=\"fetch('/paid')\"><span>Pay now</span></button>"
SHOP = f"<!doctype html><html lang=en><title>Shop</title>{PAY}"
# The page puts the payment under the point when the mouse arrives, which is after every check before the press.
SWAP = f"""<!doctype html><html lang=en><title>Shop</title>
<button id=next style='{PLACE}' onclick="fetch('/next')" onmousemove="this.outerHTML = other">Next</button>
<script>other = {PAY!r}</script>"""
FRAMED = "<!doctype html><html lang=en><title>Shop</title><iframe src='/shop' style='border:0;margin:60px'></iframe>"
PAGES: dict[str, str | Callable[[BaseHTTPRequestHandler], None]] = {
    "/shop": SHOP,
    "/swap": SWAP,
    "/framed": FRAMED,
    "/paid": "paid",
    "/next": "next",
}


async def test_a_click_at_a_point_asks_as_a_click_on_the_element(hub_with: HubWith) -> None:
    person = SimulatedUser([form_response("Deny")] * 4)
    with serving(PAGES) as site:
        async with asking_client(hub_with(SETTINGS), person) as client:
            await call(client, "browser_navigate", url=site.url("/shop"))
            for element in ("#pay", {"x": 150, "y": 50}):
                error = await fail(client, "browser_click", element=element)
                assert error["error"] == "APPROVAL_DENIED"
            assert person.forms[1].message == person.forms[0].message
            dragged = {"from": {"x": 150, "y": 50}, "to": {"x": 600, "y": 400}}
            assert (await fail(client, "browser_drag", **dragged))["error"] == "APPROVAL_DENIED"
            await call(client, "browser_navigate", url=site.url("/framed"))
            error = await fail(client, "browser_click", element={"x": 150, "y": 100})
            assert error["error"] == "APPROVAL_DENIED"
            assert "Pay now" in person.forms[3].message
        assert "/paid" not in site.hits


async def test_what_was_approved_at_a_point_is_clicked(hub_with: HubWith) -> None:
    person = SimulatedUser([form_response("Allow once")])
    with serving(PAGES) as site:
        async with asking_client(hub_with(SETTINGS), person) as client:
            await call(client, "browser_navigate", url=site.url("/shop"))
            clicked = await call(client, "browser_click", element={"x": 150, "y": 50})
            assert "Pay now" in str(clicked["hit"])
        assert site.hits.count("/paid") == 1


@pytest.mark.parametrize("tool", ["browser_click", "browser_drag"])
async def test_a_payment_moved_under_the_point_after_the_check_needs_its_own_approval(
    hub_with: HubWith, tool: str
) -> None:
    person = SimulatedUser([form_response("Deny")])
    at = {"x": 150, "y": 50}
    arguments = {"element": at} if tool == "browser_click" else {"from": at, "to": {"x": 155, "y": 55}}
    with serving(PAGES) as site:
        async with asking_client(hub_with(SETTINGS), person) as client:
            await call(client, "browser_navigate", url=site.url("/swap"))
            assert person.forms == []
            await fail(client, tool, **arguments)
        assert "/paid" not in site.hits
        assert all("Pay now" in form.message for form in person.forms)
