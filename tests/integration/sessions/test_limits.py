"""The limits on sessions: their number, their idle time and their memory."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from tests.clients import call, fail, http_client, stdio_adapter
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site
from tests.waiting import eventually

pytestmark = pytest.mark.browser
FULL = "?tools=full"


@pytest.fixture(scope="module")
def small_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    """A hub with at most two sessions."""
    home = tmp_path_factory.mktemp("small") / "home"
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nmax = 2\nwarm = false\nmemory_mb = 100000\n")
    with running_hub(home) as process:
        yield process


async def test_at_the_limit_the_error_names_sessions_to_close_and_a_waiting_client_gets_the_next_slot(
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
        timed_out = await fail(mine, "browser_session", action="create", wait_ms=1)
        assert timed_out["error"] == "SESSION_LIMIT"
        await call(mine, "browser_session", action="close", session=first)
        assert (await waiting)["session"]
        await call(other, "browser_navigate", url=site.url())


def open_sessions(hub: HubProcess) -> int:
    with hub.http() as http:
        return int(http.get("/api/health").json()["sessions"])


async def test_an_idle_session_is_closed(hub_with_short_idle_time: HubProcess, site: Site) -> None:
    hub = hub_with_short_idle_time
    # A client over HTTP would expire itself after that time.
    async with stdio_adapter(hub.home, "--tools", "full") as client:
        session = (await call(client, "browser_session", action="create"))["session"]
        await call(client, "browser_navigate", url=site.url())

        async def is_closed() -> bool:
            # A client that connects or disconnects makes the hub run its maintenance.
            async with http_client(hub) as other:
                await other.list_tools()
            return open_sessions(hub) == 0

        await eventually(is_closed, "the idle session is closed")
        error = await fail(client, "browser_snapshot", session=session)
        assert error["error"] == "NO_SESSION" and "without use" in error["message"]
        await call(client, "browser_navigate", url=site.url())


@pytest.fixture
def hub_with_short_idle_time(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("short") / "home"
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nidle_minutes = 0.03\nwarm = false\n")
    with running_hub(home) as process:
        yield process


async def test_above_the_memory_limit_the_largest_idle_session_sleeps_and_is_restored(
    tmp_path_factory: pytest.TempPathFactory, site: Site
) -> None:
    home = tmp_path_factory.mktemp("lean") / "home"
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nmemory_mb = 1\nwarm = false\n")
    with running_hub(home) as hub:
        async with http_client(hub, query=FULL) as large, http_client(hub, query=FULL) as small:
            for client in (large, small):
                await call(client, "browser_navigate", url=site.url("/?here"))
            await call(
                large, "browser_evaluate", expression="kept = Array(3e6).fill(0).map(Math.random), sessionId = 1"
            )
            await call(large, "browser_evaluate", expression="localStorage.kept = 'yes'")
            busy = asyncio.create_task(small.call_tool("browser_wait_for", {"ms": 15_000}))

            async def is_asleep() -> bool:
                return (await call(large, "browser_session"))["sessions"][0]["asleep"]

            await eventually(is_asleep, "the large session sleeps")
            assert not busy.done()
            assert not (await call(small, "browser_session"))["sessions"][0]["asleep"]
            assert "unloaded" in str(await call(large, "browser_snapshot"))
            found = await call(large, "browser_evaluate", expression="[localStorage.kept, location.search]")
            assert found["result"] == ["yes", "?here"]
            await busy
