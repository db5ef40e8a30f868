"""Lists of options that pages draw themselves, as the common libraries do it."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.clients import call, fail
from tests.conftest import HubWith
from tests.integration.approvals.simulated_users import SimulatedUser, asking_client, form_response
from tests.sites import serving

from .conftest import Visit
from .custom_list_pages import ANT, HEADLESS_UI, LIBRARIES, MUI, REACT_SELECT

pytestmark = pytest.mark.browser

ROOM = {"role": "combobox", "name": "Room"}
ROOMS = ["Single", "Double", "Suite with balcony"]


def control(library: str) -> Any:
    return {"Gradio": "#i", "Downshift": "#i", "Headless UI": "#b", "Radix": "#b"}.get(library, ROOM)


def rooms(request: BaseHTTPRequestHandler) -> None:
    """The rooms whose name contains the query, as a search on the server."""
    wanted = parse_qs(urlsplit(request.path).query).get("q", [""])[0].lower()
    body = json.dumps([room for room in ROOMS if wanted in room.lower()]).encode()
    request.send_response(200)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


@pytest.mark.parametrize("library", LIBRARIES)
async def test_an_option_is_chosen_in_one_call(visit: Visit, library: str) -> None:
    async with visit(LIBRARIES[library]) as (agent, _):
        result = await call(agent.client, "browser_select", element=control(library), values=["Suite with balcony"])
        assert await agent.evaluate("chosen") == "Suite with balcony"
        assert "notices" not in result
        # Again, with another option, from a list that was used before.
        await call(agent.client, "browser_select", element=control(library), values=["double"])
        assert await agent.evaluate("chosen") == "Double"


@pytest.mark.parametrize("library", LIBRARIES)
async def test_a_form_is_filled_with_its_custom_lists(visit: Visit, library: str) -> None:
    form = f"<label>Guest <input id=guest></label>{LIBRARIES[library]}<label><input id=late type=checkbox> Late</label>"
    async with visit(form) as (agent, _):
        fields = [
            {"element": "#guest", "value": "Ada"},
            {"element": control(library), "value": "Double"},
            {"element": "#late", "value": True},
        ]
        result = await call(agent.client, "browser_fill_form", fields=fields)
        assert await agent.evaluate("[guest.value, chosen, late.checked]") == ["Ada", "Double", True]
        assert "not_filled" not in result and "notices" not in result


async def test_an_option_far_down_a_virtual_list_is_scrolled_to(visit: Visit) -> None:
    async with visit(ANT) as (agent, _):
        await call(agent.client, "browser_select", element="#select", values=["Room 321"])
        assert await agent.evaluate("chosen") == "Room 321"
        await call(agent.client, "browser_select", element="#rc_select_0", values=["Room 2"])
        assert await agent.evaluate("chosen") == "Room 2"


async def test_several_tags_are_chosen_from_a_list_that_the_server_filters(visit: Visit) -> None:
    async with visit(REACT_SELECT, rooms=rooms) as (agent, _):
        await call(agent.client, "browser_select", element=ROOM, values=["Double", "Suite with balcony"])
        assert await agent.evaluate("chosen") == ["Double", "Suite with balcony"]


async def test_an_option_that_a_list_does_not_have_is_refused_with_those_that_it_has(visit: Visit) -> None:
    async with visit(MUI) as (agent, _):
        error = await fail(agent.client, "browser_select", element=ROOM, values=["Penthouse"])
        assert error["error"] == "INVALID_ARGUMENT"
        assert '"Suite with balcony"' in error["message"]
        assert await agent.evaluate("window.chosen ?? null") is None
        fields = [{"element": ROOM, "value": "Penthouse"}]
        result = await call(agent.client, "browser_fill_form", fields=fields, submit=True)
        assert any("Penthouse" in notice for notice in result["notices"])
        assert any("not submitted" in notice for notice in result["notices"])


async def test_a_search_field_with_suggestions_stays_a_text_field(visit: Visit) -> None:
    async with visit("<input id=s type=search role=combobox aria-autocomplete=list>") as (agent, _):
        await call(agent.client, "browser_fill_form", fields=[{"element": "#s", "value": "rooms"}])
        assert await agent.evaluate("s.value") == "rooms"


async def test_a_field_without_suggestions_for_a_text_takes_the_text(visit: Visit) -> None:
    async with visit("<input id=city role=combobox aria-autocomplete=list aria-label=City>") as (agent, _):
        result = await call(agent.client, "browser_fill_form", fields=[{"element": "#city", "value": "Ulm"}])
        assert await agent.evaluate("city.value") == "Ulm"
        assert any("holds the text" in notice for notice in result["notices"])


async def test_an_option_that_is_chosen_already_is_left_and_the_list_is_closed(visit: Visit) -> None:
    closing = HEADLESS_UI.replace(
        "</script>",
        "addEventListener('keydown', (event) => { if (event.key === 'Escape') place.innerHTML = ''; });</script>",
    )
    async with visit(closing) as (agent, _):
        for _ in range(2):
            await call(agent.client, "browser_select", element="#b", values=["Double"])
            assert await agent.evaluate("[chosen, place.innerHTML]") == ["Double", ""]


@pytest.mark.parametrize("tool", ["browser_select", "browser_fill_form"])
async def test_a_sensitive_option_asks_and_is_not_chosen_without_approval(hub_with: HubWith, tool: str) -> None:
    settings = '[policy]\napproval_timeout_s = 60\n[policy.ask_from]\nloopback = "high"\n'
    person = SimulatedUser([form_response("Deny")])
    with serving({"/": f"<!doctype html><title>Shop</title>{MUI}"}) as site:
        async with asking_client(hub_with(settings), person) as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_select", element=ROOM, values=["Double"])
            assert person.forms == []
            arguments: dict[str, Any] = (
                {"element": ROOM, "values": ["Pay now"]}
                if tool == "browser_select"
                else {"fields": [{"element": ROOM, "value": "Pay now"}]}
            )
            assert (await fail(client, tool, **arguments))["error"] == "APPROVAL_DENIED"
            assert "Pay now" in person.forms[0].message
            shown = await call(client, "browser_find", query="Double")
            assert "Double" in str(shown)
