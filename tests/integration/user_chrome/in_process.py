"""The bridge and the engine in the test's own process, with a paired Chrome."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from playwright.async_api import BrowserContext, Playwright, async_playwright
from starlette.applications import Starlette

from browser_pilot.config.settings import PolicySettings, Settings
from browser_pilot.engines.user_chrome import UserChromeEngine
from browser_pilot.errors import SessionLimit
from browser_pilot.extension_bridge.bridge import Bridge
from browser_pilot.extension_bridge.protocol import Event
from browser_pilot.extension_bridge.ui_backend import UiBackend
from browser_pilot.files.file_writer import SavedFile
from browser_pilot.http_api.browsers import bridge_routes
from browser_pilot.hub.http_listener import HttpServer, bound_socket, uvicorn_config
from browser_pilot.page.downloads.browser_download import BrowserDownload
from browser_pilot.page.downloads.managed_browser import save_stream
from browser_pilot.page.downloads.transfers import SaveOptions, Transfer
from browser_pilot.page.tab import Tab
from browser_pilot.policy.rules import Ruleset
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.options import context_request
from browser_pilot.sessions.session import Session, SessionHost
from browser_pilot.sessions.slots import LocalSlots
from tests.config.fixed_config import FixedConfig

from .chrome import Chrome, own_chrome

REQUEST = context_request(Settings.model_validate({"browser": {"engine": "own"}}))


def _never_full() -> SessionLimit:
    raise AssertionError("the limit was not reached")


@dataclass
class InProcess:
    chrome: Chrome
    bridge: Bridge
    engine: UserChromeEngine
    port: int
    notes: list[tuple[str, dict[str, str]]]

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Session]:
        client = Client("c1", Settings())
        host = SessionHost(
            engine=self.engine,
            rules=Ruleset,
            slots=LocalSlots(lambda: 10),
            limit_error=_never_full,
            on_tab_event=lambda _, __: None,
            handle_download=self._save_download,
        )
        session = Session("s1", client, REQUEST, host)
        try:
            yield session
        finally:
            await session.close()

    @contextmanager
    def hanging_hub(self) -> Generator[None]:
        """Inside, the hub is connected and handles nothing; afterwards it goes on with what it received."""
        bridge, received = cast("Any", self.bridge), list[tuple[str, Event]]()

        def receive(browser: str, event: Event) -> None:
            received.append((browser, event))

        bridge._on_event = receive
        try:
            yield
        finally:
            del bridge._on_event
            for browser, event in received:
                bridge._on_event(browser, event)

    async def _save_download(
        self, _session: Session, _tab: Tab, transfer: Transfer, caught: BrowserDownload
    ) -> SavedFile:
        options = SaveOptions(
            self.chrome.downloads.parent / "kept", max_bytes=1 << 20, redact=str, name=caught.filename
        )
        return await save_stream(transfer, caught.open, options)

    @asynccontextmanager
    async def new_context(self) -> AsyncGenerator[BrowserContext]:
        live = await self.engine.open(REQUEST, Ruleset)
        try:
            yield live.context
        finally:
            await live.close()


@asynccontextmanager
async def own_engine(folder: Path, *arguments: str, other_extension: Path | None = None) -> AsyncGenerator[InProcess]:
    notes: list[tuple[str, dict[str, str]]] = []
    bridge = Bridge(
        folder / "home",
        config=FixedConfig(Settings(policy=PolicySettings(own_mode="auto"))),
        ui=UiBackend(),
        record_note=lambda event, details: notes.append((event, details)),
        set_mode=lambda _: None,
    )
    with bound_socket("127.0.0.1", 0, is_chosen=True) as (listener, _):
        server = HttpServer(uvicorn_config(Starlette(routes=bridge_routes(bridge)), close_seconds=2))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            async with (
                async_playwright() as playwright,
                own_chrome(folder / "chrome", *arguments, other_extension=other_extension) as chrome,
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

    engine = UserChromeEngine(bridge, driver)
    engine.set_address("127.0.0.1", port)
    await chrome.pair_at(port, bridge.open_pairing().code)
    return InProcess(chrome, bridge, engine, port, notes)
