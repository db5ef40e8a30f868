"""The hostile page in the user's own Chrome: every channel to a denied host is blocked, except those of SECURITY.md."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial

import pytest
import pytest_asyncio
from playwright.async_api import Page

from browser_pilot.errors import Timeout
from browser_pilot.extension_bridge.dnr_rules import session_rules
from browser_pilot.page.tab import Tab
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Rule, Ruleset
from tests.attempts import count_attempts
from tests.egress.hostile_page import Sink, channels_script, page_server
from tests.egress.network import Handler
from tests.page.actions.acting import click, open_address
from tests.waiting import eventually

from .in_process import InProcess

# Chrome shows these to no extension: WebSockets of shared workers, and WebRTC, whose messages have this cookie.
NAMED = {"sharedworkersocket"}
STUN_COOKIE = ("!\x12\xa4B", repr(b"!\x12\xa4B")[2:-1])
DENIED = ("*.evil.test", "127.0.0.2", "[::ffff:7f00:2]", "169.254.169.254")
RULES = session_rules(Ruleset([Rule(pattern=parse_pattern(pattern), read="deny") for pattern in DENIED]))
# More do with the user's own tab; these show that the sink records the usual channels.
CERTAIN = {"img", "script", "stylesheet", "fetch", "xhr", "beacon", "websocket", "worker", "sharedworker", "iframe"}


class HostileSite:
    """The server of the page on loopback, and the sink on every address that the denied hosts have."""

    def __init__(self) -> None:
        self.sink = Sink()
        self._servers: list[asyncio.Server] = []
        self._datagrams: list[asyncio.DatagramTransport] = []
        self.url = ""

    async def start(self) -> None:
        sink = await self._serve(self.sink.connected, "127.0.0.1", 0)
        await self._serve(self.sink.connected, "127.0.0.2", sink)
        loop = asyncio.get_running_loop()
        for address in ("127.0.0.1", "127.0.0.2"):
            transport, _ = await loop.create_datagram_endpoint(lambda: self.sink, (address, sink))
            self._datagrams.append(transport)
        page = await self._serve(partial(page_server, script=channels_script(sink)), "127.0.0.1", 0)
        # Chrome has service workers in secure contexts only.
        self.url = f"http://localhost:{page}/"

    async def _serve(self, handler: Handler, address: str, port: int) -> int:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                await handler(reader, writer)
            writer.close()

        server = await asyncio.start_server(handle, address, port)
        self._servers.append(server)
        return server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        for one in (*self._servers, *self._datagrams):
            one.close()


@pytest_asyncio.fixture(loop_scope="session")
async def hostile(own: InProcess) -> AsyncIterator[HostileSite]:
    site = HostileSite()
    await site.start()
    own.bridge.set_rules(RULES)
    yield site
    own.bridge.set_rules([])
    await site.close()


async def try_all(tab: Tab, page: Page) -> str:
    """The agent clicks, so that new tabs are its own; returns what the page says afterwards."""
    with suppress(Timeout):  # the page is busy then
        await click(tab, "button")
    await eventually(lambda: page.evaluate("document.title.startsWith('tried')"), "all channels were tried")
    return await page.title()


async def tab_ids(own: InProcess) -> set[int]:
    return {tab["id"] for tab in await own.chrome.tabs()}


async def has_only(own: InProcess, ids: set[int]) -> bool:
    return await tab_ids(own) <= ids


@pytest.mark.timeout(300)
async def test_only_the_named_channels_reach_a_denied_host(own: InProcess, hostile: HostileSite) -> None:
    before = await tab_ids(own)
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, hostile.url)
        page = await own.chrome.page_at(hostile.url)
        title = await try_all(tab, page)
        # Every channel of the first round has had the time of a whole second one.
        await page.reload()
        await try_all(tab, page)
        arrived = set(hostile.sink.arrived)
    tried = int(title.split()[1].rstrip(","))
    assert title.endswith("failed 0") and tried >= 150
    assert {one for one in arrived if not any(cookie in one for cookie in STUN_COOKIE)} <= NAMED
    # The same page in a tab of the user: what it tries does arrive.
    hostile.sink.arrived.clear()
    users = await own.chrome.open(hostile.url)
    await users.click("button")
    await hostile.sink.wait_for(CERTAIN, seconds=60)
    # Playwright does not know a tab whose first page never begins to load.
    opened = list(await tab_ids(own) - before)
    await (await own.chrome.worker()).evaluate("(ids) => chrome.tabs.remove(ids)", opened)
    await eventually(partial(has_only, own, before), "the tabs are closed")
    count_attempts(tried)
