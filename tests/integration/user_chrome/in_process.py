"""The bridge and the engine in the test's own process, with a paired Chrome: for tests of what happens on pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import BrowserContext, Playwright, async_playwright
from starlette.applications import Starlette

from browser_pilot.bridge.bridge import Bridge
from browser_pilot.config import Settings
from browser_pilot.engines.own import OwnEngine
from browser_pilot.errors import SessionLimit
from browser_pilot.files.store import SavedFile
from browser_pilot.listening import HttpServer, bound_socket
from browser_pilot.pages.caught import Caught
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.transfers import Transfer, Wish, save
from browser_pilot.policy.rules import Ruleset
from browser_pilot.server.browsers_api import bridge_routes
from browser_pilot.server.http import http_settings
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.session import Session
from browser_pilot.sessions.slots import Slots
from browser_pilot.sessions.wishes import context_request

from .chrome import Chrome, own_chrome

REQUEST = context_request(Settings.model_validate({"browser": {"engine": "own"}}))


def _never_full() -> SessionLimit:
    raise AssertionError("there are places enough")


@dataclass
class InProcess:
    chrome: Chrome
    bridge: Bridge
    engine: OwnEngine
    port: int
    notes: list[tuple[str, dict[str, str]]]

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Session]:
        client = Client("c1", Settings())
        places = Slots(lambda: 10)
        session = Session(
            "s1",
            client,
            self.engine,
            REQUEST,
            Ruleset,
            tell=lambda _, __: None,
            places=places,
            full=_never_full,
            keep=self._keep,
        )
        try:
            yield session
        finally:
            await session.close()

    async def _keep(self, _session: Session, _tab: Tab, transfer: Transfer, caught: Caught) -> SavedFile:
        wish = Wish(self.chrome.downloads.parent / "kept", most_bytes=1 << 20, redact=str, name=caught.filename)
        return await save(transfer, caught.open, wish)

    @asynccontextmanager
    async def new_context(self) -> AsyncGenerator[BrowserContext]:
        live = await self.engine.open(REQUEST, Ruleset)
        try:
            yield live.context
        finally:
            await live.close()


@asynccontextmanager
async def own_engine(folder: Path, *arguments: str, beside: Path | None = None) -> AsyncGenerator[InProcess]:
    notes: list[tuple[str, dict[str, str]]] = []
    bridge = Bridge(
        folder / "home",
        idle_seconds=lambda: 300,
        note=lambda event, details: notes.append((event, details)),
        mode=lambda: "auto",
        set_mode=lambda _: None,
    )
    with bound_socket("127.0.0.1", 0) as (listener, _):
        server = HttpServer(http_settings(Starlette(routes=bridge_routes(bridge)), close_seconds=2))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            async with (
                async_playwright() as playwright,
                own_chrome(folder / "chrome", *arguments, beside=beside) as chrome,
            ):
                yield await _paired(bridge, playwright, chrome, listener.getsockname()[1], notes)
                await bridge.close()
        finally:
            server.should_exit = True
            await serving


async def _paired(
    bridge: Bridge, playwright: Playwright, chrome: Chrome, port: int, notes: list[tuple[str, dict[str, str]]]
) -> InProcess:
    async def driver() -> Playwright:
        return playwright

    engine = OwnEngine(bridge, driver)
    engine.listen("127.0.0.1", port)
    await chrome.pair_at(port, bridge.open_pairing().code)
    return InProcess(chrome, bridge, engine, port, notes)
