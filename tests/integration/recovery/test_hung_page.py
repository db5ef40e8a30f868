"""A hung page is recovered after a timeout."""

from __future__ import annotations

import pytest
from mcp.client import Client

from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess
from tests.sites import serving
from tests.waiting import eventually

pytestmark = pytest.mark.browser
PAGE = """<!doctype html><title>Busy</title><button onclick="while (true) {}">Hang</button>
<button onclick="setInterval(() => { while (true) {} }); while (true) {}">Hang again and again</button>"""


@pytest.mark.parametrize("button", ["Hang", "Hang again and again"])
async def test_a_hung_page_is_recovered_and_usable_again(hub_without_rate_limit: HubProcess, button: str) -> None:
    with serving({"/": PAGE}) as site:
        async with http_client(hub_without_rate_limit) as client, http_client(hub_without_rate_limit) as other:
            for one in (client, other):
                await call(one, "browser_navigate", url=site.url())
            error = await fail(client, "browser_click", element=f'role=button[name="{button}"]', timeout_ms=2_000)
            # The click was sent before the page hung.
            assert (error["error"], error["interrupted_by"]) == ("OUTCOME_UNKNOWN", "TIMEOUT")
            assert error["retryable"] is False

            async def responds(one: Client = client) -> bool:
                return not (await one.call_tool("browser_find", {"query": "Hang", "timeout_ms": 5_000})).is_error

            # The hub waits for a page that may only wait for a core; beside much load this takes minutes.
            await eventually(responds, "the page responds again", timeout_seconds=240)
            assert (await call(client, "browser_snapshot"))["title"] == "Busy"
            assert "notices" not in await call(other, "browser_snapshot")
