"""A crashed browser or page: the caller gets a typed error, the next call works, nothing hangs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest

from tests.clients import call, fail, http_client, text_of
from tests.hub_process import HubProcess, browsers_of, running_hub, wait_until_gone
from tests.sites import LOGIN, SlowPage, serving

pytestmark = pytest.mark.browser


def main_process(home: Path) -> psutil.Process:
    family = browsers_of(home)
    pids = {process.pid for process in family}
    return next(process for process in family if process.ppid() not in pids)


@pytest.mark.stress
@pytest.mark.timeout(400)
@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
async def test_a_browser_killed_during_calls_is_reported_and_reopened_each_time(home: Path, times: int) -> None:
    slow = SlowPage()
    with serving({"/": LOGIN, "/slow": slow}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            for _ in range(times):
                pending = asyncio.create_task(client.call_tool("browser_navigate", {"url": site.url("/slow")}))
                await slow.wait_for_request()
                family = browsers_of(home)
                main_process(home).kill()
                result = await asyncio.wait_for(pending, 60)
                assert result.is_error
                assert "BROWSER_CRASHED" in text_of(result)
                assert "retryable: true" in text_of(result)
                wait_until_gone(family)
            await call(client, "browser_navigate", url=site.url())
            assert (await call(client, "browser_snapshot"))["title"] == "Login - Example App"


async def test_storage_and_tabs_are_restored_after_a_crash(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_evaluate", expression="localStorage.kept = 'yes', document.cookie = 'kept=1'")
            await call(client, "browser_tabs", action="open", url=site.url("/?second"))
            # Storage is also read shortly after each call; saving a profile reads it at once.
            await call(client, "browser_session", action="save", profile="now")
            family = browsers_of(home)
            main_process(home).kill()
            wait_until_gone(family)
            restored = await call(client, "browser_tabs")
            assert [(row["tab"], row["url"]) for row in restored["tabs"]] == [
                ("t1", site.url()),
                ("t2", site.url("/?second")),
            ]
            assert [row["current"] for row in restored["tabs"]] == [False, True]
            assert "loaded again" in str(restored["notices"])
            # The list does not show the pages; a script is an action.
            await call(client, "browser_snapshot", tab="t1")
            found = await call(client, "browser_evaluate", expression="[localStorage.kept, document.cookie]", tab="t1")
            assert found["result"] == ["yes", "kept=1"]


async def test_the_hub_shuts_down_while_it_restores_a_page_that_never_responds(home: Path) -> None:
    slow = SlowPage()
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub, era="2026-07-28") as client:
            await call(client, "browser_navigate", url=site.url())
            site.pages["/"] = slow
            family = browsers_of(home)
            main_process(home).kill()
            wait_until_gone(family)
            pending = asyncio.create_task(client.call_tool("browser_snapshot"))
            await slow.wait_for_request()
            hub.process.terminate()
            try:
                await asyncio.to_thread(hub.process.wait, 12)
            finally:
                slow.release.set()
                pending.cancel()


async def test_a_read_interrupted_by_a_crash_is_repeated(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            reading = asyncio.create_task(client.call_tool("browser_wait_for", {"text": "never", "timeout_ms": 8_000}))
            await _until_running(hub)
            main_process(home).kill()
            result = await reading
            # It was repeated on the restored page, and timed out there.
            assert "TIMEOUT" in text_of(result) and "BROWSER_CRASHED" not in text_of(result)
            assert (await call(client, "browser_snapshot"))["title"] == "Login - Example App"
            hits = site.hits.count("/")
            assert hits == 2


async def _until_running(hub: HubProcess) -> None:
    """The hub has served other requests since, so the call before is running."""
    for _ in range(3):
        async with http_client(hub) as other:
            await other.list_tools()


async def test_an_effect_on_a_reloaded_page_is_refused_once(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            family = browsers_of(home)
            main_process(home).kill()
            wait_until_gone(family)
            error = await fail(client, "browser_type", element="text=Email", text="x")
            assert error["error"] == "BROWSER_CRASHED" and error["retryable"] is True
            assert "Nothing was done" in error["message"]
            await call(client, "browser_type", element="role=textbox[name=Email]", text="x")


def _renderers(home: Path) -> set[psutil.Process]:
    return {process for process in browsers_of(home) if "--type=renderer" in process.cmdline()}


async def test_a_crashed_page_is_reloaded_and_other_clients_are_not_affected(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nwarm = false\n")
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client, http_client(hub) as other:
            await call(other, "browser_navigate", url=site.url())
            await call(other, "browser_type", element="role=textbox[name=Email]", text="kept")
            theirs = _renderers(home)
            await call(client, "browser_navigate", url=site.url())
            for process in _renderers(home) - theirs:
                process.kill()
            reloaded = await call(client, "browser_snapshot")
            assert reloaded["title"] == "Login - Example App"
            assert "crashed" in str(reloaded["notices"])
            kept = await call(other, "browser_snapshot")
            assert "notices" not in kept and "kept" in str(kept["elements"])
