"""Sessions in a real Selenium Grid: more than it has slots, and the loss of a node or of the hub."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import AsyncExitStack

import psutil
import pytest

from tests.clients import call, fail, http_client, text_of
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site
from tests.waiting import eventually

from .grid_process import SeleniumGrid, missing_tools, running_grid

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(400),
    pytest.mark.skipif(bool(missing_tools()), reason=f"needs {', '.join(missing_tools())}"),
]
CONFIG = '[browser]\nengine = "grid"\ngrid_url = "{url}"\nargs = ["--no-sandbox"]\nlaunch_timeout_ms = 60000\n'


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Generator[SeleniumGrid]:
    with running_grid(tmp_path_factory.mktemp("grid")) as running:
        yield running


@pytest.fixture(scope="module")
def grid_hub(tmp_path_factory: pytest.TempPathFactory, grid: SeleniumGrid) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("gridhub") / "home"
    home.mkdir()
    (home / "config.toml").write_text(CONFIG.format(url=grid.url))
    with running_hub(home) as process:
        yield process


async def wait_released(grid: SeleniumGrid) -> None:
    await asyncio.to_thread(grid.wait_until, lambda: not grid.sessions(), 30)


async def test_more_sessions_than_slots_wait_in_the_queue_and_all_are_released(
    grid: SeleniumGrid, grid_hub: HubProcess, site: Site
) -> None:
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(http_client(grid_hub, query="?tools=full")) for _ in range(5)]
        first = await asyncio.gather(
            *(call(client, "browser_navigate", url=site.url(f"/?{n}")) for n, client in enumerate(clients[:4]))
        )
        assert [page["url"] for page in first] == [site.url(f"/?{n}") for n in range(4)]
        assert len(await asyncio.to_thread(grid.sessions)) == 4
        waiting = asyncio.create_task(call(clients[4], "browser_navigate", url=site.url("/?4"), timeout_ms=60_000))
        await asyncio.to_thread(grid.wait_until, lambda: grid.queued() == 1, 20)
        await call(clients[0], "browser_session", action="close")
        assert (await waiting)["url"] == site.url("/?4")
        assert (await call(clients[1], "browser_snapshot"))["title"] == "Login - Example App"
    await wait_released(grid)


async def test_a_full_grid_is_reported_and_a_late_browser_is_released(
    grid: SeleniumGrid, tmp_path_factory: pytest.TempPathFactory, site: Site
) -> None:
    home = tmp_path_factory.mktemp("short-timeout") / "home"
    home.mkdir()
    (home / "config.toml").write_text(CONFIG.format(url=grid.url).replace("60000", "15000"))
    with running_hub(home) as hub:
        async with http_client(hub, query="?tools=full") as client:
            for _ in range(4):
                await call(client, "browser_session", action="create")
            error = await fail(client, "browser_session", action="create")
            assert error["error"] == "GRID_FULL" and error["retryable"] is True
            listed = (await call(client, "browser_session"))["sessions"]
            await call(client, "browser_session", action="close", session=listed[0]["session"])
            await call(client, "browser_navigate", url=site.url(), session=listed[1]["session"])
    await wait_released(grid)


async def test_the_rules_hold_in_a_grid_browser(grid: SeleniumGrid, grid_hub: HubProcess, site: Site) -> None:
    async with http_client(grid_hub, query="?tools=full") as client:
        await call(client, "browser_session", action="create", allowed_domains=["127.0.0.1"])
        await call(client, "browser_navigate", url=site.url())
        fetching = (
            f"fetch('{site.url().replace('127.0.0.1', 'localhost')}', {{mode: 'no-cors'}}).then(() => 1, () => 0)"
        )
        assert (await call(client, "browser_evaluate", expression=fetching))["result"] == 0
    await wait_released(grid)


async def test_a_lost_node_is_reported_and_its_sessions_continue_on_another(
    grid: SeleniumGrid, grid_hub: HubProcess, site: Site
) -> None:
    async with http_client(grid_hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url("/?kept"))
        await call(client, "browser_evaluate", expression="localStorage.kept = 'yes'")
        await call(client, "browser_session", action="save", profile="kept")
        node = await asyncio.to_thread(_node_in_use, grid)
        await asyncio.to_thread(grid.kill, node)

        async def continues() -> bool:
            result = await client.call_tool("browser_evaluate", {"expression": "1"})
            if result.is_error:
                assert "retryable: true" in text_of(result)
                assert any(code in text_of(result) for code in ("BROWSER_CRASHED", "GRID_UNAVAILABLE", "GRID_FULL"))
            return not result.is_error

        await eventually(continues, "the session continues on another node", timeout_seconds=120)
        assert (await call(client, "browser_evaluate", expression="localStorage.kept"))["result"] == "yes"
        assert (await call(client, "browser_tabs"))["tabs"][0]["url"] == site.url("/?kept")
        await asyncio.to_thread(grid.start_node, node)
        await asyncio.to_thread(grid.wait_until, lambda: len(grid.nodes()) == 2)


def _node_in_use(grid: SeleniumGrid) -> str:
    """The node that runs a browser."""
    for name, process in grid.processes.items():
        children = psutil.Process(process.pid).children(recursive=True)
        if name != "hub" and any("chrom" in child.name() and "driver" not in child.name() for child in children):
            return name
    raise AssertionError("no node runs a browser")


async def test_a_lost_grid_is_reported_and_used_again_when_it_is_back(
    grid: SeleniumGrid, grid_hub: HubProcess, site: Site
) -> None:
    await wait_released(grid)
    await asyncio.to_thread(grid.kill, "hub")
    async with http_client(grid_hub) as client:
        error = await fail(client, "browser_navigate", url=site.url())
        assert error["error"] == "GRID_UNAVAILABLE" and error["retryable"] is True
        await asyncio.to_thread(grid.start_hub)
        await asyncio.to_thread(grid.wait_until, lambda: len(grid.nodes()) == 2)
        assert (await call(client, "browser_navigate", url=site.url()))["title"] == "Login - Example App"
    await wait_released(grid)


async def test_every_browser_is_released_when_the_hub_ends(
    grid: SeleniumGrid, tmp_path_factory: pytest.TempPathFactory, site: Site
) -> None:
    home = tmp_path_factory.mktemp("ending") / "home"
    home.mkdir()
    (home / "config.toml").write_text(CONFIG.format(url=grid.url))
    with running_hub(home) as hub:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(http_client(hub, era="2026-07-28"))
            await call(client, "browser_navigate", url=site.url())
            assert len(await asyncio.to_thread(grid.sessions)) == 1
    await wait_released(grid)
