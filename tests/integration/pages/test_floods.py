"""A page that floods its browser: another client goes on, and the first client can leave the page."""

from __future__ import annotations

from functools import partial

import psutil
import pytest
from mcp.client import Client

from tests.clients import call, http_client
from tests.flooding_pages import FLOODS, QUIET, flooding_pages
from tests.hub_process import HubProcess
from tests.sites import serving
from tests.waiting import eventually

NOTICES = {
    "popups": "too many popups",
    "dialogs": "too many dialogs",
    "downloads": "too many downloads",
}
# The logs that report how much was dropped.
LOGS = {"console": "browser_console", "requests": "browser_network", "websockets": "browser_network"}
MAX_GROWTH_BYTES = 300 << 20

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def hub_bytes(hub: HubProcess) -> int:
    """The memory of the hub and of Playwright's driver, not of the browsers."""
    own = psutil.Process(hub.process.pid)
    drivers = [child for child in own.children() if "run-driver" in child.cmdline()]
    return sum(process.memory_info().rss for process in (own, *drivers))


async def has_notice(client: Client, expected: str, seen: list[str]) -> bool:
    """Whether a result of this client had the notice; each is given once. Answers dialogs."""
    if not any(expected in result for result in seen):
        seen.append(str(await client.call_tool("browser_dialog", {"accept": True})))
        seen.append(str(await client.call_tool("browser_tabs", {"action": "list"})))
    return any(expected in result for result in seen)


async def has_dropped(client: Client, log: str) -> bool:
    return bool((await call(client, log, limit=1)).get("dropped"))


async def leaves(client: Client, url: str) -> bool:
    return not (await client.call_tool("browser_navigate", {"url": url, "timeout_ms": 10_000})).is_error


async def test_other_clients_go_on_while_a_page_floods_and_it_can_be_left(
    hub_without_rate_limit: HubProcess,
) -> None:
    hub = hub_without_rate_limit
    with serving({"/": QUIET, **flooding_pages()}) as site:
        async with http_client(hub) as other:
            await call(other, "browser_navigate", url=site.url())
            before = hub_bytes(hub)
            for name in FLOODS:
                async with http_client(hub) as client:
                    # A page that never comes to rest may time out.
                    arguments = {"url": site.url(f"/{name}"), "timeout_ms": 5_000}
                    seen = [str(await client.call_tool("browser_navigate", arguments))]
                    for _ in range(3):
                        await call(other, "browser_click", element="button")
                        assert (await call(other, "browser_snapshot"))["title"] == "Quiet"

                    expected = NOTICES.get(name, "")
                    await eventually(partial(has_notice, client, expected, seen), name, timeout_seconds=60)
                    if name in LOGS:
                        await eventually(partial(has_dropped, client, LOGS[name]), name, timeout_seconds=60)
                    # A page that had to be ended is reported first.
                    await eventually(partial(leaves, client, site.url()), f"leaving {name}", timeout_seconds=60)
                    assert (await call(client, "browser_snapshot"))["title"] == "Quiet"
            assert hub_bytes(hub) < before + MAX_GROWTH_BYTES
