"""So many sessions, so long without use, so much memory: what is told, and what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from tests.clients import call, fail, http_client, stdio_adapter
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site

pytestmark = pytest.mark.browser
FULL = "?tools=full"


@pytest.fixture(scope="module")
def small_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    """Two sessions at once."""
    home = tmp_path_factory.mktemp("small") / "home"
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nmax = 2\nwarm = false\nmemory_mb = 100000\n")
    with running_hub(home) as process:
        yield process


async def test_at_the_limit_it_says_what_to_close_and_who_waits_gets_the_place(
    small_hub: HubProcess, site: Site
) -> None:
    async with http_client(small_hub, query=FULL) as mine, http_client(small_hub, query=FULL) as other:
        first = (await call(mine, "browser_session", action="create"))["session"]
        second = (await call(mine, "browser_session", action="create"))["session"]
        error = await fail(mine, "browser_session", action="create")
        assert error["error"] == "SESSION_LIMIT" and error["retryable"] is True
        assert first in str(error["suggestions"]) and second in str(error["suggestions"])
        theirs = await fail(other, "browser_navigate", url=site.url())
        assert theirs["error"] == "SESSION_LIMIT" and first not in str(theirs)
        waiting = asyncio.create_task(call(other, "browser_session", action="create", wait_ms=20_000))
        vain = await fail(mine, "browser_session", action="create", wait_ms=1)
        assert vain["error"] == "SESSION_LIMIT"
        await call(mine, "browser_session", action="close", session=first)
        assert (await waiting)["session"]
        await call(other, "browser_navigate", url=site.url())


def open_sessions(hub: HubProcess) -> int:
    with hub.http() as http:
        return int(http.get("/api/health").json()["sessions"])


async def test_what_nobody_uses_is_closed_after_its_time(home_with_short_patience: HubProcess, site: Site) -> None:
    hub = home_with_short_patience
    # A client over HTTP would be forgotten itself after that time.
    async with stdio_adapter(hub.home, "--tools", "full") as client:
        handle = (await call(client, "browser_session", action="create"))["session"]
        await call(client, "browser_navigate", url=site.url())
        async with asyncio.timeout(30):
            while open_sessions(hub):
                # A client that comes or goes makes the hub look after its house.
                async with http_client(hub) as passer:
                    await passer.list_tools()
        error = await fail(client, "browser_snapshot", session=handle)
        assert error["error"] == "NO_SESSION" and "nobody had used it" in error["message"]
        await call(client, "browser_navigate", url=site.url())


@pytest.fixture
def home_with_short_patience(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("short") / "home"
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nidle_minutes = 0.03\nwarm = false\n")
    with running_hub(home) as process:
        yield process


async def test_when_memory_is_short_the_greediest_idle_session_sleeps_and_wakes_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, site: Site
) -> None:
    home = tmp_path_factory.mktemp("lean") / "home"
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nmemory_mb = 1\nwarm = false\n")
    with running_hub(home) as hub:
        async with http_client(hub, query=FULL) as greedy, http_client(hub, query=FULL) as modest:
            for client in (greedy, modest):
                await call(client, "browser_navigate", url=site.url("/?here"))
            await call(
                greedy, "browser_evaluate", expression="kept = Array(3e6).fill(0).map(Math.random), sessionId = 1"
            )
            await call(greedy, "browser_evaluate", expression="localStorage.kept = 'yes'")
            busy = asyncio.create_task(modest.call_tool("browser_wait_for", {"ms": 15_000}))
            async with asyncio.timeout(30):
                while not (await call(greedy, "browser_session"))["sessions"][0]["asleep"]:
                    await asyncio.sleep(0.2)
            assert not busy.done()
            assert not (await call(modest, "browser_session"))["sessions"][0]["asleep"]
            told = await call(greedy, "browser_evaluate", expression="[localStorage.kept, location.search]")
            assert told["result"] == '["yes","?here"]' or "unloaded" in str(told)
            await busy
