"""A browser that dies: the caller gets a typed error, the next call works, nothing hangs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest

from tests.clients import call, http_client, text_of
from tests.hub_process import browsers_of, running_hub, wait_until_gone
from tests.sites import LOGIN, SlowPage, serving

pytestmark = pytest.mark.browser


def _main_process(home: Path) -> psutil.Process:
    family = browsers_of(home)
    pids = {process.pid for process in family}
    return next(process for process in family if process.ppid() not in pids)


@pytest.mark.stress
@pytest.mark.timeout(400)
async def test_a_browser_killed_in_the_middle_of_a_call_20_times(home: Path) -> None:
    slow = SlowPage()
    with serving({"/": LOGIN, "/slow": slow}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            for _ in range(20):
                pending = asyncio.create_task(client.call_tool("browser_navigate", {"url": site.url("/slow")}))
                await slow.wait_for_visitor()
                family = browsers_of(home)
                _main_process(home).kill()
                result = await asyncio.wait_for(pending, 10)
                assert result.is_error
                assert "BROWSER_CRASHED" in text_of(result)
                assert "retryable: true" in text_of(result)
                wait_until_gone(family)
            await call(client, "browser_navigate", url=site.url())
            assert (await call(client, "browser_snapshot"))["title"] == "Login - Example App"


async def test_a_browser_that_died_between_calls_is_told_once_and_then_replaced(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            family = browsers_of(home)
            _main_process(home).kill()
            wait_until_gone(family)
            result = await client.call_tool("browser_snapshot", {})
            assert "BROWSER_CRASHED" in text_of(result)
            result = await client.call_tool("browser_snapshot", {})
            assert "NO_TAB" in text_of(result)
            await call(client, "browser_navigate", url=site.url())


async def test_a_crashed_page_is_told_and_replaced(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            for process in browsers_of(home):
                if "--type=renderer" in process.cmdline():
                    process.kill()
            result = await client.call_tool("browser_snapshot", {})
            assert "BROWSER_CRASHED" in text_of(result)
            await call(client, "browser_navigate", url=site.url())
            assert (await call(client, "browser_snapshot"))["title"] == "Login - Example App"
