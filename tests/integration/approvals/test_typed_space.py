"""Text that is typed where the focus is presses a button that has it, so it is authorized as that."""

from __future__ import annotations

import pytest

from tests.clients import call, fail, http_client
from tests.conftest import HubWith
from tests.sites import serving

pytestmark = pytest.mark.browser
PAGE = "<title>Shop</title><button autofocus onclick='document.title = `Pressed`'>{}</button>"


async def test_a_typed_space_cannot_press_a_focused_button_without_approval(hub_with: HubWith) -> None:
    hub = hub_with('[policy.ask_from]\nloopback = "high"\n')
    with serving({"/": PAGE.format("Pay now"), "/more": PAGE.format("Show more")}) as site:
        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url())
            error = await fail(client, "browser_type", text=" ")
            assert error["error"] in ("APPROVAL_DENIED", "APPROVAL_TIMEOUT")
            assert (await call(client, "browser_snapshot"))["title"] == "Shop"
            await call(client, "browser_navigate", url=site.url("/more"))
            await call(client, "browser_type", text=" ")
            assert (await call(client, "browser_snapshot"))["title"] == "Pressed"
