"""A real Chromium, a hostile page, and a sink on another host that must receive nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Error, async_playwright

from browser_pilot.egress import BlockedByPolicy, EgressProxy, NetworkFailure, SessionAccessPolicy, browser_arguments
from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.proxy_auth import authenticate, proxy_settings
from browser_pilot.errors import BrowserUnavailable
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from tests.attempts import count_attempts

from .hostile_page import Sink, channels_script, page_server
from .network import Network

pytestmark = pytest.mark.browser

# These send nothing that a TCP proxy sees, or nothing at all in a headless browser with our arguments. The sink and the
# resolver show that they reach no host.
SILENT = {
    "dnsprefetch",
    "fetchlater",
    "icon",
    "manifest",
    "ping",
    "popupblank",
    "preconnect",
    "prerender",
    "speculateprefetch",
    "speculateprerender",
    "stun",
    "stunaddress",
    "turntcp",
    "webtransport",
}
# These use an address, not a name.
BY_ADDRESS = {"address", "addressdecimal", "addressmapped", "metadata"}


class RecordingPolicy(SessionAccessPolicy):
    """Records all refusals, and waits for them."""

    def __init__(self, rules: Ruleset) -> None:
        super().__init__(lambda: rules)
        self.refusals: list[BlockedByPolicy] = []
        self.changed = asyncio.Event()

    def record_error(self, error: BlockedByPolicy | NetworkFailure) -> None:
        super().record_error(error)
        if isinstance(error, BlockedByPolicy):
            self.refusals.append(error)
            self.changed.set()

    async def wait_for_hosts(self, hosts: set[str]) -> None:
        while missing := hosts - {refusal.site.host for refusal in self.refusals}:
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), 20)
            except TimeoutError:
                raise AssertionError(f"never tried: {sorted(missing)}") from None


@asynccontextmanager
async def browser_behind(proxy_port: int) -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        arguments = [*browser_arguments(proxy_port), "--no-sandbox", "--disable-gpu"]
        browser = await playwright.chromium.launch(executable_path=find_browser(None).executable, args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


async def logged_in_context(browser: Browser, port: int) -> BrowserContext:
    context = await browser.new_context(proxy=proxy_settings(port), ignore_https_errors=True)
    await authenticate(await context.new_page(), "s1", "secret")
    return context


def allowing(*patterns: str) -> Ruleset:
    return Ruleset(
        [Rule(pattern=parse_pattern(pattern), read="allow") for pattern in patterns], Defaults(uncovered="deny")
    )


@pytest.mark.timeout(180)
async def test_no_channel_reaches_a_host_that_is_not_allowed(network: Network) -> None:
    loop = asyncio.get_running_loop()
    sink = Sink()
    sink_port = await network.serve(sink.connected, "127.0.0.2")
    datagrams, _ = await loop.create_datagram_endpoint(lambda: sink, ("127.0.0.2", sink_port))
    port = await network.serve(page_server)
    network.names["app.localhost"] = ("127.0.0.1",)
    policy = RecordingPolicy(allowing("app.localhost"))
    policy.allow_navigation(Site("http", "app.localhost", port))
    network.proxy.register("s1", "secret", policy)
    async with browser_behind(network.port) as browser:
        context = await logged_in_context(browser, network.port)
        page = await context.new_page()
        await page.goto(f"http://app.localhost:{port}/")
        await page.add_script_tag(content=channels_script(sink_port))
        outcome = await page.evaluate("tryAll()")
        assert outcome["failed"] == []
        tried = set(outcome["tried"])
        assert len(tried) >= 150
        await policy.wait_for_hosts({f"{channel}.evil.test" for channel in tried - SILENT - BY_ADDRESS})
        await policy.wait_for_hosts({"127.0.0.2", "[::ffff:7f00:2]", "169.254.169.254"})
        await context.close()
    datagrams.close()
    assert sink.arrived == []
    assert set(network.resolved_names) == {"app.localhost"}
    count_attempts(len(tried))


async def test_the_sink_records_an_allowed_request(network: Network) -> None:
    sink = Sink()
    sink_port = await network.serve(sink.connected, "127.0.0.2")
    port = await network.serve(page_server)
    network.names |= {"app.localhost": ("127.0.0.1",), "fetch.evil.test": ("127.0.0.2",)}
    policy = RecordingPolicy(allowing("app.localhost", "*.evil.test"))
    policy.allow_navigation(Site("http", "app.localhost", port))
    network.proxy.register("s1", "secret", policy)
    async with browser_behind(network.port) as browser:
        context = await logged_in_context(browser, network.port)
        page = await context.new_page()
        await page.goto(f"http://app.localhost:{port}/")
        await page.evaluate(f"fetch('http://fetch.evil.test:{sink_port}/here')")
    assert sink.arrived == ["fetch"]


async def test_a_public_page_reaches_no_local_server_but_the_agent_does(network: Network) -> None:
    public_port, local_port = await network.serve(page_server), 0
    arrived: list[str] = []

    async def local(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            arrived.append(head.split(b" ")[1].decode())
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")

    local_port = await network.serve(local)
    network.names |= {"public.test": ("93.184.216.34",), "localhost": ("127.0.0.1",), "rebound.test": ("127.0.0.1",)}
    policy = RecordingPolicy(Ruleset())
    network.proxy.register("s1", "secret", policy)
    base = f"localhost:{local_port}"
    async with browser_behind(network.port) as browser:
        context = await logged_in_context(browser, network.port)
        page = await context.new_page()
        policy.allow_navigation(Site("http", "localhost", local_port))
        await page.goto(f"http://{base}/by-agent")
        assert await page.inner_text("body") == "hi"
        with network.connecting_to("127.0.0.1"):
            await page.goto(f"http://public.test:{public_port}/")
            await page.evaluate(
                """async base => {
                    const tries = [
                        fetch(`http://${base}/fetch`, {mode: "no-cors", referrerPolicy: "no-referrer"}),
                        fetch(`http://${base}/post`, {mode: "no-cors", method: "POST", body: "x"}),
                        fetch(`/redirect/307?http://${base}/redirected`, {mode: "no-cors"}),
                        new Promise((_, no) => { new WebSocket(`ws://${base}/ws`).onerror = no }),
                        new Promise((yes, no) => Object.assign(new Image(), {onload: yes, onerror: no,
                            referrerPolicy: "no-referrer", src: `http://${base}/img`})),
                    ];
                    document.body.insertAdjacentHTML("beforeend", `<iframe src="http://${base}/frame"></iframe>`);
                    await Promise.allSettled(tries);
                }""",
                base,
            )
            redirect = f"http://public.test:{public_port}/redirect/302?http://127.0.0.1:{local_port}/top"
            for address in (f"http://rebound.test:{local_port}/", redirect):
                response = await page.goto(address)
                assert response is not None
                assert response.status == 403
        await page.goto(f"http://{base}/by-agent-again")
    assert [path for path in arrived if path != "/favicon.ico"] == ["/by-agent", "/by-agent-again"]


async def test_allowed_traffic_works_as_without_a_proxy(network: Network) -> None:
    port = await network.serve(page_server)
    network.names["app.localhost"] = ("127.0.0.1",)
    policy = RecordingPolicy(allowing("app.localhost"))
    policy.allow_navigation(Site("http", "app.localhost", port))
    network.proxy.register("s1", "secret", policy)
    async with browser_behind(network.port) as browser:
        context = await logged_in_context(browser, network.port)
        page = await context.new_page()
        await page.goto(f"http://app.localhost:{port}/")
        found: dict[str, Any] = await page.evaluate(
            """async () => ({
                big: (await (await fetch("/big")).text()).length,
                head: (await fetch("/big", {method: "HEAD"})).status,
                upload: await (await fetch("/echo", {method: "POST", body: "x".repeat(3_000_000)})).text(),
                many: (await Promise.all([...Array(60).keys()].map(n => fetch(`/${n}`)))).filter(r => r.ok).length,
            })"""
        )
        assert found == {"big": 5_000_000, "head": 200, "upload": "3000000", "many": 60}
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        await page.goto(f"http://app.localhost:{port}/redirect/302?/next")
        assert page.url.endswith("/next")
        assert policy.refusals == []


async def test_wrong_credentials_are_an_error_without_a_retry_loop(network: Network) -> None:
    async with browser_behind(network.port) as browser:
        context = await browser.new_context(proxy=proxy_settings(network.port))
        with pytest.raises(BrowserUnavailable):
            await authenticate(await context.new_page(), "s1", "wrong")


async def test_a_context_without_its_own_proxy_settings_connects_to_nothing(network: Network) -> None:
    port = await network.serve(page_server)
    async with browser_behind(network.port) as browser:
        page = await browser.new_page()
        with pytest.raises(Error):
            await page.goto(f"http://127.0.0.1:{port}/", timeout=10_000)


async def test_a_closed_proxy_leaves_no_connection_and_no_task(network: Network) -> None:
    proxy = EgressProxy()
    port = await proxy.start()
    tasks = len(asyncio.all_tasks())
    async with browser_behind(port) as browser:
        context = await browser.new_context(proxy=proxy_settings(port))
        page = await context.new_page()
        with pytest.raises(Error):
            await page.goto("http://example.com/", timeout=5_000)
        await proxy.close()
    assert proxy.open_connections == 0
    assert len(asyncio.all_tasks()) <= tasks
