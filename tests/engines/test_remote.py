"""Remote browsers: connecting to one that does not respond at first, and releasing it in any case."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import cast

import pytest
from playwright.async_api import Browser, BrowserContext, Error, Playwright, async_playwright

from browser_pilot.egress import SessionAccessPolicy
from browser_pilot.engines import remote
from browser_pilot.engines.engine import ContextRequest
from browser_pilot.engines.remote import RemoteContext, RemoteEngine
from browser_pilot.errors import BrowserUnavailable
from browser_pilot.policy.rules import Ruleset
from tests.cdp_endpoint import chromium_at_cdp_endpoint


class FakeBrowser:
    """Serves as the browser and as its context."""

    def on(self, event: str, callback: object) -> None:
        pass

    async def close(self) -> None:
        pass


async def test_a_browser_is_released_although_the_close_of_its_session_is_cancelled() -> None:
    """The hub cancels requests that take too long when it ends."""
    started, may_finish, released = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def release() -> None:
        started.set()
        await may_finish.wait()
        released.set()

    def start_release() -> asyncio.Task[object]:
        return asyncio.get_running_loop().create_task(release())

    fake = FakeBrowser()
    context = RemoteContext(
        cast("Browser", fake),
        cast("BrowserContext", fake),
        SessionAccessPolicy(Ruleset, session_domains=None),
        start_release,
    )
    closed = asyncio.create_task(context.close())
    await started.wait()
    closed.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closed
    may_finish.set()
    async with asyncio.timeout(60):
        await released.wait()


@asynccontextmanager
async def silent_at_first(address: str) -> AsyncGenerator[tuple[str, list[bytes]]]:
    """A relay to a CDP endpoint that never responds on its first WebSocket; its URL and the WebSockets' requests."""
    sockets: list[bytes] = []
    tasks: set[asyncio.Task[None]] = set()

    async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError), closing(target):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(cast("asyncio.Task[None]", asyncio.current_task()))
        with closing(writer):
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET /devtools/"):
                sockets.append(head)
                if len(sockets) == 1:
                    await reader.read()
                    return
            host, port = address.split(":")
            upstream, upstream_writer = await asyncio.open_connection(host, int(port))
            upstream_writer.write(head)
            await asyncio.gather(copy(reader, upstream_writer), copy(upstream, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", sockets
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def request_for(url: str) -> ContextRequest:
    return ContextRequest(
        engine="cdp",
        own_browser=None,
        label="",
        executable=None,
        headless=True,
        args=(),
        viewport=None,
        user_data_dir=None,
        launch_timeout_ms=60_000,
        cdp_url=url,
    )


@pytest.mark.browser
async def test_a_connection_that_gets_no_response_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when Playwright connects in the moment in which a starting browser replaces its first page."""
    monkeypatch.setattr(remote, "FIRST_CONNECT_TIMEOUT_SECONDS", 0.5)
    with chromium_at_cdp_endpoint(tmp_path / "profile") as address:
        async with async_playwright() as playwright, silent_at_first(address) as (url, sockets):

            async def driver() -> Playwright:
                return playwright

            engine = RemoteEngine(driver)
            context = await engine.open(request_for(url), Ruleset)
            assert context.alive
            assert len(sockets) >= 2
            await engine.close()


async def test_the_address_through_the_grid_gets_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few seconds are not enough on a busy machine, and the address that the Grid reports may lead nowhere."""
    given: list[float] = []

    async def connect(_driver: object, _url: str, timeout_ms: float) -> None:
        given.append(timeout_ms)
        raise Error("refused")

    monkeypatch.setattr(remote, "connect_in_attempts", connect)
    with pytest.raises(BrowserUnavailable):
        await remote._connect(  # pyright: ignore[reportPrivateUsage]
            cast(Playwright, None), request_for("ws://a"), ("ws://node", "ws://grid", "ws://elsewhere")
        )
    direct, *others = given
    assert direct == remote.DIRECT_CONNECT_TIMEOUT_SECONDS * 1000
    assert all(50_000 < one <= 60_000 for one in others)
