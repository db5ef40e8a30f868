"""A browser at a CDP endpoint: each session gets its own context in it, and it outlives them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.cdp_endpoint import chromium_at_cdp_endpoint
from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser


@pytest.fixture
def endpoint(tmp_path: Path) -> Generator[str]:
    with chromium_at_cdp_endpoint(tmp_path / "profile") as address:
        yield f"http://{address}"


async def test_sessions_at_a_cdp_endpoint_are_isolated_and_follow_the_policy(
    hub_without_rate_limit: HubProcess, site: Site, endpoint: str
) -> None:
    query = f"?tools=full&cdp={endpoint}"
    async with (
        http_client(hub_without_rate_limit, query=query) as one,
        http_client(hub_without_rate_limit, query=query) as two,
    ):
        for client, value in ((one, "1"), (two, "2")):
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_evaluate", expression=f"localStorage.mine = '{value}'")
        assert (await call(one, "browser_evaluate", expression="localStorage.mine"))["result"] == "1"
        await call(one, "browser_session", action="create", allowed_domains=["127.0.0.1"])
        await call(one, "browser_navigate", url=site.url())
        fetch = f"fetch('{site.url().replace('127.0.0.1', 'localhost')}', {{mode: 'no-cors'}}).then(() => 1, () => 0)"
        assert (await call(one, "browser_evaluate", expression=fetch))["result"] == 0
        seen = len(site.hits)
        socket = f"new WebSocket('{site.url().replace('http://127.0.0.1', 'ws://localhost')}socket')"
        closed = f"new Promise((resolve) => {{ {socket}.onclose = (event) => resolve(event.code) }})"
        assert (await call(one, "browser_evaluate", expression=closed))["result"] == 1008
        assert site.hits[seen:] == []
    async with http_client(hub_without_rate_limit, query=query) as later:
        await call(later, "browser_navigate", url=site.url())
        assert (await call(later, "browser_evaluate", expression="localStorage.length"))["result"] == 0


async def test_an_unreachable_endpoint_is_reported(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit, query="?cdp=http://127.0.0.1:9") as client:
        error = await fail(client, "browser_navigate", url=site.url())
        assert error["error"] == "BROWSER_UNAVAILABLE" and "reached" in error["message"]
