"""A dialog that opens right after an action, while its result is rendered, blocks nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients import call, http_client
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser


async def test_a_result_reports_a_dialog_that_opens_while_it_is_rendered(hub: HubProcess, site: Site) -> None:
    site.pages[
        "/late"
    ] = """<title>Late</title><button onclick="setTimeout(() => alert('Late'), this.delay++)">Go</button>
      <script>document.querySelector('button').delay = 0</script>"""
    async with http_client(hub) as client:
        await call(client, "browser_navigate", url=site.url("/late"))
        await call(client, "browser_snapshot")
        for _ in range(10):
            result: dict[str, Any] = await call(client, "browser_click", element="button", timeout_ms=5_000)
            if "dialog" not in result:
                error = await client.call_tool("browser_snapshot", {"timeout_ms": 5_000})
                assert not error.is_error or "DIALOG_OPEN" in str(error.content)
            await client.call_tool("browser_dialog", {"accept": True})
