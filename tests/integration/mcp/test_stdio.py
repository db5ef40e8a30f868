"""Clients over stdio, end to end: the adapter, the hub and the browser."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from mcp.client import Client

from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.clients import ERAS, call, ref_of, stdio_adapter, text_of
from tests.hub_process import HubProcess, browsers_of, environment, running_hub, wait_until_gone
from tests.sites import LOGIN, Site, SlowPage, serving

pytestmark = pytest.mark.browser


async def log_in(client: Client, site: Site, name: str) -> None:
    await call(client, "browser_navigate", url=site.url(f"/?{name}"))
    page = await call(client, "browser_snapshot")
    await call(client, "browser_type", element=ref_of(page, "textbox", "Email"), text=f"{name}@example.com")
    await call(client, "browser_click", element={"role": "button", "name": "Sign in"})
    after = await call(client, "browser_snapshot")
    assert after["url"] == site.url(f"/?{name}")
    assert f"Hello {name}@example.com" in [row["name"] for row in after["elements"]]


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_logs_in_over_stdio(hub: HubProcess, site: Site, era: str) -> None:
    async with stdio_adapter(hub.home, era=era) as client:
        await log_in(client, site, "ada")


async def test_options_apply_to_one_client_only(hub: HubProcess) -> None:
    async with (
        stdio_adapter(hub.home, "--tools", "minimal") as lean,
        stdio_adapter(hub.home, "--format", "json", "--tools", "standard,-browser_press") as other,
    ):
        assert len((await lean.list_tools()).tools) == 4
        names = {tool.name for tool in (await other.list_tools()).tools}
        assert "browser_press" not in names
        assert "browser_click" in names
        assert text_of(await other.call_tool("browser_tabs", {})) == '{"tabs":[]}'


async def test_20_concurrent_clients_each_see_their_own_page(hub: HubProcess, site: Site) -> None:
    async def log_in_as(number: int) -> None:
        async with stdio_adapter(hub.home) as client:
            await log_in(client, site, f"client{number}")

    await asyncio.gather(*(log_in_as(number) for number in range(20)))


async def test_the_first_client_starts_a_hub_that_ends_when_idle(home: Path, site: Site) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[hub]\nidle_minutes = 0.01\n")
    async with stdio_adapter(home, era="legacy") as client:
        await log_in(client, site, "ada")
        info = read_runtime(home)
        assert info is not None
        started = psutil.Process(info.pid)
        family = [started, *started.children(recursive=True)]
        listed = await client.list_tools()
    wait_until_gone(family)
    assert read_runtime(home) is None
    # The next client gets its first responses from the adapter's cache, while another hub starts.
    async with stdio_adapter(home, era="legacy") as client:
        assert (await client.list_tools()).tools == listed.tools
        await log_in(client, site, "ben")
        info = read_runtime(home)
        assert info is not None
        started = psutil.Process(info.pid)
    wait_until_gone([started])


@pytest.mark.stress
@pytest.mark.timeout(400)
@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
async def test_a_hub_killed_during_a_call_gives_an_unknown_outcome_and_is_replaced_each_time(
    home: Path, times: int
) -> None:
    slow = SlowPage()
    with serving({"/": LOGIN, "/slow": slow}) as site:
        async with stdio_adapter(home) as client:
            for _ in range(times):
                pending = asyncio.create_task(client.call_tool("browser_navigate", {"url": site.url("/slow")}))
                await slow.wait_for_request()
                hub = psutil.Process(pid_of_hub(home))
                family = hub.children(recursive=True)
                hub.kill()
                result = await asyncio.wait_for(pending, 60)
                assert result.is_error
                assert "OUTCOME_UNKNOWN" in text_of(result)
                wait_until_gone(family)
            await log_in(client, site, "ada")
            hub = psutil.Process(pid_of_hub(home))
        hub.terminate()
        wait_until_gone([hub])
    assert browsers_of(home) == []


@pytest.mark.stress
@pytest.mark.timeout(400)
@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
async def test_clients_that_close_their_pipe_during_a_call_leave_no_session(home: Path, times: int) -> None:
    slow = SlowPage()
    with serving({"/": LOGIN, "/slow": slow}) as site, running_hub(home) as hub:
        for _ in range(times):
            adapter = subprocess.Popen(
                [sys.executable, "-m", "browser_pilot"],
                env=environment(home),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            assert adapter.stdin is not None
            assert adapter.stdout is not None
            adapter.stdin.write(navigation_lines(site.url("/slow")))
            adapter.stdin.flush()
            await slow.wait_for_request()
            adapter.stdin.close()
            adapter.stdout.close()
            assert await asyncio.to_thread(adapter.wait, 15) == 0
        async with stdio_adapter(home) as client:
            await log_in(client, site, "ada")
        with hub.http() as http:
            assert http.get("/api/clients").json() == []
            assert http.get("/health").json()["sessions"] == 0


def pid_of_hub(home: Path) -> int:
    info = read_runtime(home)
    assert info is not None
    return info.pid


def navigation_lines(url: str) -> bytes:
    initialize = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "abrupt", "version": "1"},
    }
    messages = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "browser_navigate", "arguments": {"url": url}},
        },
    )
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)
