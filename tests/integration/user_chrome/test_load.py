"""Several concurrent agents in many tabs of the user's Chrome: tabs are isolated, and memory does not grow."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

import psutil
import pytest
from mcp.client import Client

from browser_pilot.demo.booking import Booking
from tests.clients import call, http_client
from tests.hub_process import HubProcess, environment, running_hub
from tests.sites import serving

from .chrome import Chrome, own_chrome
from .conftest import OWN

PAGE = """<!doctype html><title>Counting</title><button onclick='count.textContent = ++n'>Add</button>
<p id=count>0</p><script>n = 0</script>"""
CLIENTS, TABS = 4, 10
MAX_GROWTH_MB = 150


async def test_the_demo_task_is_done_through_the_extension(own_hub: HubProcess, chrome: Chrome) -> None:
    command = [sys.executable, "-m", "browser_pilot", "demo"]
    process = await asyncio.create_subprocess_exec(
        *command, env=environment(own_hub.home), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out = (await asyncio.wait_for(process.communicate(), 60))[0].decode()
    assert process.returncode == 0, out
    assert f"Using the hub at {own_hub.mcp_url}" in out
    assert Booking("Grace Hopper", 2, "Lounge", bicycle=True).reference in out


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seconds", [4, pytest.param(600, marks=pytest.mark.long)])
async def test_ten_tabs_of_four_agents_are_isolated_and_memory_does_not_grow(tmp_path: Path, seconds: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(f'{OWN}[tools]\nprofile = "full"\n')
    with running_hub(home) as hub, serving({"/": PAGE}) as site:
        async with own_chrome(tmp_path / "chrome") as chrome, AsyncExitStack() as stack:
            await chrome.pair(hub)
            agents = [Agent(await stack.enter_async_context(http_client(hub)), number) for number in range(CLIENTS)]
            for number in range(TABS):
                await agents[number % CLIENTS].open(site.url(f"/?tab={number}"))
            until = time.monotonic() + seconds
            early = asyncio.create_task(memory_mb(hub, seconds / 4))
            await asyncio.gather(*(agent.work(until) for agent in agents))
            growth = await memory_mb(hub, 0) - await early
            assert sum(agent.calls for agent in agents) >= 2 * seconds
            assert growth < MAX_GROWTH_MB, growth
            for agent in agents:
                assert await agent.tabs() == set(agent.counts), "a tab was lost, or another's was seen"


class Agent:
    """Works in its own tabs and knows what each must show."""

    def __init__(self, client: Client, number: int) -> None:
        self.client = client
        self.counts: dict[str, int] = {}
        self.urls: dict[str, str] = {}
        self.calls = 0
        self._random = random.Random(number)

    async def open(self, url: str) -> None:
        await call(self.client, "browser_tabs", action="open", url=url)
        rows = (await call(self.client, "browser_tabs"))["tabs"]
        (tab,) = [row["tab"] for row in rows if row["url"] == url]
        self.counts[tab], self.urls[tab] = 0, url

    async def work(self, until: float) -> None:
        while time.monotonic() < until:
            tab = self._random.choice(list(self.counts))
            await call(self.client, "browser_click", element="role=button", tab=tab)
            self.counts[tab] += 1
            seen = await call(self.client, "browser_evaluate", expression="[location.href, n]", tab=tab)
            assert seen["result"] == [self.urls[tab], self.counts[tab]]
            self.calls += 2

    async def tabs(self) -> set[str]:
        return {row["tab"] for row in (await call(self.client, "browser_tabs"))["tabs"]}


async def memory_mb(hub: HubProcess, after_seconds: float) -> float:
    """The hub and its child processes, without the user's browser."""
    await asyncio.sleep(after_seconds)
    processes = [psutil.Process(hub.info.pid), *psutil.Process(hub.info.pid).children(recursive=True)]
    return sum(process.memory_info().rss for process in processes if process.is_running()) / 2**20
