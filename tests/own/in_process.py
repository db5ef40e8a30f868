"""The bridge and the engine in the test's own process, with a paired Chrome: for tests of what happens on pages."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from playwright.async_api import BrowserContext, Playwright, async_playwright
from starlette.applications import Starlette

from browser_pilot.bridge.bridge import Bridge
from browser_pilot.config import Settings
from browser_pilot.engines.own import OwnEngine
from browser_pilot.policy.rules import Ruleset
from browser_pilot.server.browsers_api import bridge_routes
from browser_pilot.server.http import http_settings
from browser_pilot.sessions.registry import context_request
from browser_pilot.sessions.session import Session

from .chrome import Chrome, own_chrome

REQUEST = context_request(Settings.model_validate({"browser": {"engine": "own"}}))


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@dataclass
class InProcess:
    chrome: Chrome
    bridge: Bridge
    engine: OwnEngine
    port: int
    notes: list[tuple[str, dict[str, str]]]

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Session]:
        session = Session("s1", self.engine, REQUEST, Ruleset, tell=lambda _, __: None)
        try:
            yield session
        finally:
            await session.close()

    @asynccontextmanager
    async def new_context(self) -> AsyncGenerator[BrowserContext]:
        live = await self.engine.open(REQUEST, Ruleset)
        try:
            yield live.context
        finally:
            await live.close()


@asynccontextmanager
async def own_engine(folder: Path, *arguments: str) -> AsyncGenerator[InProcess]:
    notes: list[tuple[str, dict[str, str]]] = []
    bridge = Bridge(
        folder / "home",
        idle_seconds=lambda: 300,
        note=lambda event, details: notes.append((event, details)),
        mode=lambda: "auto",
        set_mode=lambda _: None,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = _Server(http_settings(Starlette(routes=bridge_routes(bridge)), close_seconds=2))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with async_playwright() as playwright, own_chrome(folder / "chrome", *arguments) as chrome:
            yield await _paired(bridge, playwright, chrome, port, notes)
            await bridge.close()
    finally:
        server.should_exit = True
        await serving
        listener.close()


async def _paired(
    bridge: Bridge, playwright: Playwright, chrome: Chrome, port: int, notes: list[tuple[str, dict[str, str]]]
) -> InProcess:
    async def driver() -> Playwright:
        return playwright

    engine = OwnEngine(bridge, driver)
    engine.listen("127.0.0.1", port)
    await chrome.pair_at(port, bridge.open_pairing().code)
    return InProcess(chrome, bridge, engine, port, notes)
