"""A managed browser, as the hub launches it, reaches only what the policy allows, and the agent is told why."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from tests.clients import call, fail, http_client
from tests.egress.hostile import LOCAL_DOMAIN, Sink, all_ways, page_server, ways_out
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.browser

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
# With the sink allowed, these do not arrive all the same: they send nothing in a headless browser with our arguments,
# go by UDP or to a forbidden address, or do not show that it is a local page that asks.
NEVER_ARRIVE = {
    "address",
    "addressdecimal",
    "addressmapped",
    "datapage",
    "dnsprefetch",
    "icon",
    "javascript",
    "manifest",
    "metadata",
    "ping",
    "preconnect",
    "prerender",
    "redirect307",
    "speculateprefetch",
    "speculateprerender",
    "stun",
    "stunaddress",
    "turntcp",
    "webtransport",
    "workerimport",
}
# These are requests of the page itself, so that they are in its list with the reason.
LISTED = {
    "img",
    "script",
    "stylesheet",
    "font",
    "iframe",
    "fetch",
    "fetchhttps",
    "xhr",
    "beacon",
    "eventsource",
    "worker",
}


def configure(home: Path, *lines: str) -> None:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def only(*hosts: str) -> list[str]:
    """Settings under which nothing but these hosts may be used."""
    rules = [line for host in hosts for line in (f'[policy.domains."{host}"]', "read = true", "write = true")]
    return ["[policy]", 'uncovered = "deny"', *rules]


@asynccontextmanager
async def serving(handler: Handler, address: str = "127.0.0.1", port: int = 0) -> AsyncGenerator[int]:
    open_ones: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_ones.add(task)
        try:
            await handler(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            open_ones.discard(task)

    server = await asyncio.start_server(handle, address, port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(open_ones):
            task.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)


@asynccontextmanager
async def serving_sink() -> AsyncGenerator[tuple[Sink, int]]:
    """A sink on loopback and, at the same port, on another address; it hears UDP at both."""
    sink = Sink()
    async with serving(sink.connected) as port, serving(sink.connected, "127.0.0.2", port):
        loop = asyncio.get_running_loop()
        ends = [await loop.create_datagram_endpoint(lambda: sink, (host, port)) for host in ("127.0.0.1", "127.0.0.2")]
        try:
            yield sink, port
        finally:
            for transport, _ in ends:
                transport.close()


async def try_all(client: Client, page_port: int) -> int:
    """Have the hostile page try every way out; gives how many it tried."""
    await call(client, "browser_navigate", url=f"http://127.0.0.1:{page_port}/")
    await call(client, "browser_click", element='role=button[name="Try all"]')
    done = "document.title.startsWith('tried') && document.title.endsWith('failed 0')"
    await call(client, "browser_wait_for", function=done, timeout_ms=60_000)
    return int((await call(client, "browser_snapshot"))["title"].split()[1].strip(","))


async def refusals(client: Client) -> dict[str, str]:
    """By way, what the page's list of requests says."""
    rows = (await call(client, "browser_network", status="failed", url=LOCAL_DOMAIN, limit=200))["requests"]
    return {row["url"].split("//")[1].split(".")[0]: row["status"] for row in rows}


def connections_in(log: Path) -> tuple[set[str], set[str]]:
    """From Chromium's own log: whom it connected to by TCP, and what else it did on the network."""
    data: dict[str, Any] = json.loads(log.read_text(encoding="utf-8"))
    names = {number: name for name, number in data["constants"]["logEventTypes"].items()}
    connected: set[str] = set()
    others: set[str] = set()
    for event in data["events"]:
        name, address = names[event["type"]], event.get("params", {}).get("address")
        if name == "TCP_CONNECT_ATTEMPT" and address:
            connected.add(address)
        elif name in ("HOST_RESOLVER_MANAGER_JOB", "DNS_TRANSACTION", "UDP_BYTES_SENT", "QUIC_SESSION"):
            others.add(name)
    return connected, others


@pytest.mark.timeout(240)
async def test_no_way_out_leads_to_a_host_that_is_not_allowed(home: Path, tmp_path: Path) -> None:
    log = tmp_path / "network.json"
    async with serving_sink() as (sink, sink_port):
        async with serving(partial(page_server, script=ways_out(sink_port, LOCAL_DOMAIN))) as port:
            configure(home, "[browser]", f'args = ["--log-net-log={log}"]', *only(f"127.0.0.1:{port}"))
            with running_hub(home) as hub:
                async with http_client(hub) as client:
                    assert await try_all(client, port) == len(all_ways()) >= 80
                    while missing := LISTED - (await refusals(client)).keys():
                        await call(client, "browser_wait_for", ms=200)
                        assert missing
                    listed = await refusals(client)
                    assert all("blocked by policy" in listed[way] for way in LISTED)
                    assert 'policy.uncovered = "deny"' in listed["img"]
    connected, others = connections_in(log)
    assert sink.arrived == []
    assert len(connected) == 1  # the proxy
    assert others == set()


@pytest.mark.timeout(240)
async def test_the_same_page_gets_out_where_the_sink_is_allowed(home: Path) -> None:
    async with serving_sink() as (sink, sink_port):
        async with serving(partial(page_server, script=ways_out(sink_port, LOCAL_DOMAIN))) as port:
            configure(home, *only(f"127.0.0.1:{port}", f"*.{LOCAL_DOMAIN}"))
            with running_hub(home) as hub:
                async with http_client(hub) as client:
                    await try_all(client, port)
                    expected = all_ways() - NEVER_ARRIVE
                    assert len(expected) >= 60
                    await sink.wait_for(expected, seconds=60)
