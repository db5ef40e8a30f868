"""The connection to the user's Chrome recovers from every loss, and nothing is done twice."""

from __future__ import annotations

import asyncio
import random
import socket
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import CallToolResult
from playwright.async_api import expect

from browser_pilot.page.cdp import send
from tests.clients import call, data_of, http_client
from tests.hub_process import HubProcess, running_hub
from tests.sites import serving
from tests.waiting import eventually

from .chrome import Chrome, own_chrome
from .conftest import OWN
from .severable_proxy import SeverableProxy, severable_proxy

PAGE = "<!doctype html><title>0</title><button onclick='document.title = ++n'>Add</button><script>n = 0</script>"
MAX_MEDIAN_RECONNECT_SECONDS = 2.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@dataclass
class Scene:
    """A paired Chrome behind a severable proxy, and the duration of each reconnect."""

    chrome: Chrome
    proxy: SeverableProxy
    hub: HubProcess
    url: str
    reconnect_seconds: list[float] = field(default_factory=list[float])

    async def is_connected(self) -> bool:
        def request() -> bool:
            with self.hub.http() as http:
                return bool(http.get("/api/browsers").json()[0]["connected"])

        return await asyncio.to_thread(request)

    async def wait_reconnected(self, began: float) -> None:
        await eventually(self.is_connected)
        self.reconnect_seconds.append(time.monotonic() - began)

    def check_times(self) -> None:
        assert statistics.median(self.reconnect_seconds) < MAX_MEDIAN_RECONNECT_SECONDS, self.reconnect_seconds


@asynccontextmanager
async def scene(folder: Path, port: int) -> AsyncGenerator[tuple[Scene, Callable[[], Awaitable[None]]]]:
    """``restart`` restarts the hub on the same port and home."""
    home = folder / "home"
    home.mkdir(parents=True)
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(severable_proxy(port))
        (home / "config.toml").write_text(f'{OWN}[hub]\nallowed_hosts = ["127.0.0.1:{proxy.port}"]\n')
        site = stack.enter_context(serving({"/": PAGE}))
        hubs = AsyncExitStack()
        stack.push_async_callback(lambda: hubs.aclose())
        hub = hubs.enter_context(running_hub(home, "--port", str(port)))
        chrome = await stack.enter_async_context(own_chrome(folder / "chrome"))
        with hub.http() as http:
            code = http.post("/api/pairing").json()["code"]
        await chrome.pair_at(proxy.port, code)
        made = Scene(chrome, proxy, hub, site.url("/"))

        async def restart() -> None:
            await hubs.aclose()
            made.hub = hubs.enter_context(running_hub(home, "--port", str(port)))

        yield made, restart


async def press(client: Client, outcomes: list[str]) -> None:
    result = await client.call_tool("browser_click", {"element": "role=button"})
    assert isinstance(result, CallToolResult)
    outcomes.append(str(data_of(result).get("error", "ok")) if result.is_error else "ok")


async def press_until(client: Client, done: asyncio.Event, outcomes: list[str]) -> None:
    while not done.is_set():
        await press(client, outcomes)


async def check_presses(scene: Scene, client: Client, outcomes: list[str]) -> None:
    """Each click happened once if it succeeded, and at most once if its outcome is unknown."""
    count = int((await call(client, "browser_evaluate", expression="n"))["result"])
    done, unknown = outcomes.count("ok"), len(outcomes) - outcomes.count("ok")
    assert done <= count <= done + unknown, outcomes
    assert set(outcomes) <= {"ok", "OUTCOME_UNKNOWN", "BROWSER_DISCONNECTED"}, outcomes


async def disturb(scene: Scene, times: int, interrupt: Callable[[], Awaitable[Any]]) -> None:
    """Let an agent work, and interrupt it at random moments."""
    async with http_client(scene.hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=scene.url)
        outcomes: list[str] = []
        done = asyncio.Event()
        working = asyncio.create_task(press_until(client, done, outcomes))
        for _ in range(times):
            await asyncio.sleep(random.uniform(0, 0.3))
            began = time.monotonic()
            await interrupt()
            await scene.wait_reconnected(began)
        done.set()
        await working
        await check_presses(scene, client, outcomes)
        assert len((await call(client, "browser_tabs"))["tabs"]) == 1
    scene.check_times()


async def kill_worker(chrome: Chrome) -> None:
    page = await chrome.popup()
    session = await chrome.context.new_cdp_session(page)
    await send(session, "ServiceWorker.enable")
    await send(session, "ServiceWorker.stopAllWorkers")
    await page.close()


@pytest.mark.parametrize("times", [3, pytest.param(100, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
async def test_a_lost_socket_reconnects_and_nothing_is_done_twice(tmp_path: Path, times: int) -> None:
    async with scene(tmp_path, free_port()) as (made, _):

        async def sever() -> None:
            made.proxy.sever()

        await disturb(made, times, sever)


@pytest.mark.parametrize("times", [3, pytest.param(100, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
async def test_a_killed_service_worker_recovers_and_nothing_is_done_twice(tmp_path: Path, times: int) -> None:
    async with scene(tmp_path, free_port()) as (made, _):
        await disturb(made, times, lambda: kill_worker(made.chrome))


@pytest.mark.parametrize("times", [2, pytest.param(20, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
async def test_a_restarted_hub_finds_the_browser_and_its_tabs_again(tmp_path: Path, times: int) -> None:
    async with scene(tmp_path, free_port()) as (made, restart):
        page = await made.chrome.open(made.url)
        await made.chrome.share(page)
        popup = await made.chrome.popup(page)
        for number in range(times):
            async with http_client(made.hub) as client:
                assert [row["url"] for row in (await call(client, "browser_tabs"))["tabs"]] == [made.url]
                await call(client, "browser_click", element="role=button")
                await expect(page).to_have_title(str(number + 1))
            await restart()
            began = time.monotonic()
            await made.wait_reconnected(began)
            await expect(popup.locator("#state")).to_have_text("Connected")
        made.check_times()


async def test_the_popup_never_says_connected_when_it_is_not(tmp_path: Path) -> None:
    async with scene(tmp_path, free_port()) as (made, _):
        popup = await made.chrome.popup()
        await expect(popup.locator("#state")).to_have_text("Connected")
        made.proxy.target = free_port()
        made.proxy.sever()
        await expect(popup.locator("#state")).not_to_have_text("Connected", timeout=3_000)
        await expect(popup.get_by_role("alert")).to_contain_text("No hub responds")
