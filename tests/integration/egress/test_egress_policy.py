"""A managed browser, as the hub launches it, connects only to what the policy allows, and errors have the reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import CallToolResult

from tests.attempts import count_attempts
from tests.clients import call, fail, http_client, text_of
from tests.commands import run_pilot
from tests.egress.hostile_page import LOCAL_DOMAIN, Sink, all_channels, channels_script, page_server
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site, SlowPage
from tests.sites import serving as web
from tests.waiting import eventually

pytestmark = pytest.mark.browser

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
# These do not arrive even if the sink is allowed: they send nothing in a headless browser with our arguments, use UDP
# or a forbidden address, or carry no sign that their initiator is a local page.
NEVER_ARRIVE = {
    "address",
    "addressdecimal",
    "addressmapped",
    "blobpage",
    "datapage",
    "dnsprefetch",
    "fetchother",
    "icon",
    "javascript",
    "manifest",
    "metadata",
    "ping",
    "preconnect",
    "prerender",
    "redirect307",
    "redirectworker",
    "speculateprefetch",
    "speculateprerender",
    "stun",
    "stunaddress",
    "turntcp",
    "webtransport",
    "workerdata",
    "workerimport",
    "workernested",
    "xslt",
}
# These are requests of the page itself, listed by browser_network with the reason.
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
    """Settings that allow only these hosts."""
    rules = [line for host in hosts for line in (f'[policy.domains."{host}"]', "read = true", "write = true")]
    return ["[policy]", 'uncovered = "deny"', *rules]


@asynccontextmanager
async def serving(handler: Handler, address: str = "127.0.0.1", port: int = 0) -> AsyncGenerator[int]:
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await handler(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(handle, address, port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def serving_sink() -> AsyncGenerator[tuple[Sink, int]]:
    """A sink at one port of two loopback addresses, for TCP and UDP."""
    sink = Sink()
    async with serving(sink.connected) as port, serving(sink.connected, "127.0.0.2", port):
        loop = asyncio.get_running_loop()
        ends = [await loop.create_datagram_endpoint(lambda: sink, (host, port)) for host in ("127.0.0.1", "127.0.0.2")]
        try:
            yield sink, port
        finally:
            for transport, _ in ends:
                transport.close()


def serving_hostile(sink_port: int) -> AbstractAsyncContextManager[int]:
    return serving(partial(page_server, script=channels_script(sink_port, LOCAL_DOMAIN)))


async def try_all(client: Client, page_port: int) -> int:
    """Make the hostile page try every channel; returns the number tried."""
    await call(client, "browser_navigate", url=f"http://127.0.0.1:{page_port}/")
    await call(client, "browser_click", element='role=button[name="Try all"]')
    done = "document.title.startsWith('tried') && document.title.endsWith('failed 0')"
    await call(client, "browser_wait_for", function=done, timeout_ms=60_000)
    return int((await call(client, "browser_snapshot"))["title"].split()[1].strip(","))


async def refusals(client: Client) -> dict[str, str]:
    """The status of failed requests in browser_network, by channel."""
    rows = (await call(client, "browser_network", status="failed", url=LOCAL_DOMAIN, limit=200))["requests"]
    return {row["url"].split("//")[1].split(".")[0]: row["status"] for row in rows}


def connections_in(log: Path) -> tuple[set[str], set[str]]:
    """From Chromium's network log: the addresses of TCP connections, and other kinds of network events."""
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
async def test_no_channel_reaches_a_host_that_is_not_allowed(home: Path, tmp_path: Path) -> None:
    log = tmp_path / "network.json"
    async with serving_sink() as (sink, sink_port), serving_hostile(sink_port) as port:
        configure(home, "[browser]", f'args = ["--log-net-log={log}"]', *only(f"127.0.0.1:{port}"))
        with running_hub(home) as hub:
            # Enough for all requests and WebSockets in one answer.
            async with http_client(hub, query="?tools=full&max_tokens=50000") as client:
                assert await try_all(client, port) == len(all_channels()) >= 150

                async def are_listed() -> bool:
                    return not LISTED - (await refusals(client)).keys()

                await eventually(are_listed, "every request is listed", timeout_seconds=60, poll_seconds=0.5)
                listed = await refusals(client)
                assert all("blocked by policy" in listed[channel] for channel in LISTED)
                assert 'policy.uncovered = "deny"' in listed["img"]
    connected, others = connections_in(log)
    assert sink.arrived == []
    assert len(connected) == 1  # the proxy
    assert others == set()
    count_attempts(len(all_channels()))


@pytest.mark.timeout(240)
async def test_the_channels_of_the_same_page_arrive_if_the_sink_is_allowed(home: Path) -> None:
    async with serving_sink() as (sink, sink_port), serving_hostile(sink_port) as port:
        configure(home, *only(f"127.0.0.1:{port}", f"*.{LOCAL_DOMAIN}"))
        with running_hub(home) as hub:
            async with http_client(hub, query="?tools=full") as client:
                await try_all(client, port)
                expected = all_channels() - NEVER_ARRIVE
                assert len(expected) >= 130
                await sink.wait_for(expected, seconds=60)


async def test_a_redirect_to_a_forbidden_site_is_refused_and_named(home: Path) -> None:
    async with serving(page_server) as port:
        configure(home, *only(f"127.0.0.1:{port}"))
        base = f"http://127.0.0.1:{port}"
        with running_hub(home) as hub:
            async with http_client(hub, query="?tools=full") as client:
                for status, target in (
                    (301, "http://other.localhost:12345/"),
                    (302, "https://other.localhost:12345/"),
                    (307, "http://169.254.169.254/latest/meta-data/"),
                ):
                    error = await fail(client, "browser_navigate", url=f"{base}/redirect/{status}?{target}")
                    assert error["error"] == "DOMAIN_DENIED", error
                    assert target.split("/")[2] in error["message"]
                    assert "ERR_" not in error["message"]
                    assert error["rule"] in error["suggestions"][0]
                assert (await call(client, "browser_navigate", url=f"{base}/redirect/308?{base}/end"))["url"].endswith(
                    "/end"
                )


async def test_an_unreachable_server_has_the_same_error_as_without_a_proxy(
    hub: HubProcess, unused_tcp_port: int
) -> None:
    async with http_client(hub, query="?tools=full") as client:
        for scheme in ("http", "https"):
            unknown = await fail(client, "browser_navigate", url=f"{scheme}://unknown.invalid/")
            assert unknown["error"] == "NAVIGATION_FAILED"
            assert "the host name does not exist" in unknown["message"]
            closed = await fail(client, "browser_navigate", url=f"{scheme}://127.0.0.1:{unused_tcp_port}/")
            assert closed["error"] == "NAVIGATION_FAILED"
            assert "nothing listens at that address" in closed["message"]


async def test_the_result_of_a_link_to_a_forbidden_site_has_the_reason(home: Path) -> None:
    page = '<a href="http://other.localhost:12345/">plain</a> <a href="https://other.localhost:12345/">safe</a>'
    with web({"/": page}) as site:
        configure(home, *only(f"127.0.0.1:{site.port}"))
        with running_hub(home) as hub:
            async with http_client(hub, query="?tools=full") as client:
                for name in ("plain", "safe"):
                    await call(client, "browser_navigate", url=site.url())
                    result = await client.call_tool("browser_click", {"element": f'role=link[name="{name}"]'})
                    assert isinstance(result, CallToolResult)
                    assert "other.localhost:12345" in text_of(result)
                    assert 'policy.uncovered = "deny"' in text_of(result).replace("\\", "")


async def test_subresources_and_navigations_have_separate_rules(home: Path) -> None:
    with web({"/picture": "x"}) as cdn, web({}) as site:
        site.pages["/"] = (
            f'<img src="http://cdn.localhost:{cdn.port}/picture"><img src="http://ads.localhost:{cdn.port}/">'
        )
        subresources = ["[policy.subresources]", f'allow = ["cdn.localhost:{cdn.port}"]']
        configure(home, *only(f"127.0.0.1:{site.port}"), *subresources)
        with running_hub(home) as hub:
            async with http_client(hub, query="?tools=full") as client:
                await call(client, "browser_navigate", url=site.url(), wait_until="load")
                rows = (await call(client, "browser_network", type="image"))["requests"]
                assert [row["status"] for row in rows if "cdn." in row["url"]] == [200]
                assert ["blocked by policy" in str(row["status"]) for row in rows if "ads." in row["url"]] == [True]
                error = await fail(client, "browser_navigate", url=f"http://cdn.localhost:{cdn.port}/picture")
                assert error["error"] == "DOMAIN_DENIED"
    assert [path for path in cdn.hits if path != "/favicon.ico"] == ["/picture"]


async def test_the_agent_may_open_a_site_that_pages_may_load_nothing_from(home: Path) -> None:
    with web({"/": "<p>Opened</p>", "/picture": "x"}) as other, web({"/picture": "x"}) as site:
        site.pages["/"] = f'<img src="/picture"><img src="http://other.localhost:{other.port}/picture">'
        configure(home, "[policy.subresources]", 'uncovered = "deny"')
        with running_hub(home) as hub:
            async with http_client(hub, query="?tools=full") as client:
                await call(client, "browser_navigate", url=site.url(), wait_until="load")
                assert "/picture" in site.hits
                assert other.hits == []
                await call(client, "browser_navigate", url=f"http://other.localhost:{other.port}/")
    assert other.hits[0] == "/"


async def test_changed_rules_apply_to_open_pages_at_once(home: Path) -> None:
    with web({"/": "<p>Page</p>"}) as site, web({"/data": "x"}) as other:
        target = f"http://other.localhost:{other.port}/data"
        fetching = f"fetch('{target}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'failed')"
        with running_hub(home) as hub, hub.http() as http:
            async with http_client(hub, query="?tools=full") as client:
                await call(client, "browser_navigate", url=site.url())
                await call(client, "browser_evaluate", expression=fetching)
                assert other.hits == ["/data"]
                configure(home, "[policy.domains]", f'"other.localhost:{other.port}" = {{ read = false }}')
                assert http.post("/api/reload").json() == {"problem": None}
                await call(client, "browser_evaluate", expression=fetching)
                rows = (await call(client, "browser_network", url="/data", limit=10))["requests"]
                assert [str(row["status"])[:7] for row in rows] == ["200", "blocked"]
    assert other.hits == ["/data"]


async def test_the_connections_of_a_client_end_with_it(home: Path) -> None:
    slow = SlowPage()
    page = "<script>fetch('/slow')</script>"
    with running_hub(home) as hub, web({"/": page, "/slow": slow}) as site, hub.http() as http:

        def connections() -> int:
            egress = http.get("/api/health").json()["parts"]["egress"]
            assert egress["state"] == "ok"
            return int(egress["says"].split()[-2])

        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url(), wait_until="commit")
            await slow.wait_for_request()
            assert connections() > 0
        await eventually(lambda: not connections(), "the connections end")
        slow.release.set()


def test_a_browser_argument_that_bypasses_the_proxy_is_refused_at_the_start(home: Path) -> None:
    configure(home, "[browser]", 'args = ["--proxy-server=http://127.0.0.1:3128"]')
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    error = json.loads(run_pilot(home, stdin=json.dumps(request) + "\n").out)["error"]
    assert (error["data"]["code"], error["data"]["retryable"]) == ("INVALID_SETTINGS", False)
    assert "--proxy-server" in error["message"]


async def test_the_browser_starts_with_a_long_temporary_folder(
    home: Path, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 60) / ("y" * 60)
    long.mkdir(parents=True)
    monkeypatch.setenv("TMPDIR", str(long))
    with running_hub(home) as hub:
        async with http_client(hub, query="?tools=full") as client:
            assert (await call(client, "browser_navigate", url=site.url()))["url"] == site.url()


async def test_a_browser_with_a_user_data_dir_uses_the_proxy_too(home: Path, tmp_path: Path) -> None:
    with web({"/": "<p>Page</p>"}) as site:
        site.pages["/"] = f'<p>Page</p><img src="http://other.localhost:{site.port}/picture">'
        configure(home, *only(f"127.0.0.1:{site.port}"))
        with running_hub(home) as hub:
            async with http_client(hub, query=f"?user_data_dir={tmp_path / 'profile'}") as client:
                await call(client, "browser_navigate", url=site.url(), wait_until="load")
                rows = (await call(client, "browser_network", type="image"))["requests"]
                assert "blocked by policy" in rows[0]["status"]
                async with http_client(hub, query=f"?user_data_dir={tmp_path / 'profile'}") as second:
                    await call(second, "browser_navigate", url=site.url())
                await call(client, "browser_navigate", url=site.url())
    assert "/picture" not in site.hits
