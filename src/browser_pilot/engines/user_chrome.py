"""The user's own Chrome, through the extension: sessions get the tabs that were shared with them, and open more.

Each session has a Playwright connection of its own to the bridge's relay, which shows it its own tabs and no others. A
session that ends closes the tabs that it opened; those that the user shared stay. When the hub ends, all tabs stay.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import cast

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright, Route

from ..bridge.bridge import Bridge
from ..bridge.cdp_client import CdpClient
from ..bridge.relay import Relay
from ..bridge.wire import Json
from ..egress import Failure, Refusal
from ..errors import BrowserUnavailable, InvalidArgument
from ..policy.hosts import Site
from ..policy.rules import Ruleset
from .engine import ContextRequest, Saver, StorageState
from .secret_urls import UrlForms

CLOSE_SECONDS = 5.0


class OwnContext:
    """One session's share of the user's browser."""

    def __init__(self, relay: Relay, client: CdpClient, browser: Browser) -> None:
        self._relay = relay
        self._client = client
        self._browser = browser
        self._alive = True
        self._forms = UrlForms()
        self._lost_callbacks: list[Callable[[], None]] = []
        browser.on("disconnected", lambda _: self._lost())

    @property
    def context(self) -> BrowserContext:
        return self._browser.contexts[0]

    @property
    def alive(self) -> bool:
        return self._alive

    @property
    def exclusive(self) -> bool:
        return True

    @property
    def saver(self) -> Saver | None:
        return self._relay

    def check(self) -> None:
        self._relay.check()

    def on_lost(self, callback: Callable[[], None]) -> None:
        self._lost_callbacks.append(callback)

    async def settle(self) -> None:
        # What the relay tells Playwright comes in order: the answer to any question comes after the news before it.
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self.context.cookies("http://localhost/"), CLOSE_SECONDS)

    def take_blank_page(self) -> Page | None:
        return None  # what is open is the user's, or an agent's already

    def let_open(self, site: Site) -> None:
        """The rules hold in the user's browser itself; where the agent may go, the gateway has decided."""

    def trouble(self, url: str) -> Refusal | Failure | None:
        return None  # the browser reached it itself, and says itself why not

    async def keep_out_of_urls(self, values: Iterable[str]) -> None:
        was_off = not self._forms.patterns()
        self._forms.add(values)
        if was_off and self._forms.patterns():
            await self.context.route(self._forms.found_in, _stop)

    async def show(self, page: Page) -> None:
        session = await self.context.new_cdp_session(page)
        try:
            told = cast("Json", await session.send("Target.getTargetInfo"))  # pyright: ignore[reportUnknownMemberType]
        finally:
            await session.detach()
        await self._relay.show_tab(self._client, str(told["targetInfo"]["targetId"]))

    async def storage_state(self) -> StorageState | None:
        return None  # the user's own cookies stay in the user's browser

    async def close(self, *, close_tabs: bool = True) -> None:
        await self._relay.leave(self._client, close_tabs=close_tabs)
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._browser.close(), CLOSE_SECONDS)
        self._lost()

    def _lost(self) -> None:
        self._alive = False
        callbacks, self._lost_callbacks = self._lost_callbacks, []
        for callback in callbacks:
            callback()


async def _stop(route: Route) -> None:
    with suppress(Error):
        await route.abort("blockedbyclient")


class OwnEngine:
    """``driver`` gives Playwright's driver. ``listen`` says where the relay can be reached."""

    def __init__(self, bridge: Bridge, driver: Callable[[], Awaitable[Playwright]]) -> None:
        self._bridge = bridge
        self._driver = driver
        self._address = ""
        self._contexts: list[OwnContext] = []

    def listen(self, host: str, port: int) -> None:
        self._address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> OwnContext:
        """``rules`` are not needed here: those in force are told to every browser by the bridge."""
        if state is not None:
            raise InvalidArgument(
                "Stored state cannot be put into the user's own browser.",
                suggestions=["Leave out `profile` and `storage_state`, or use the managed engine."],
            )
        relay = await self._bridge.browser(request.own_browser)
        relay.check()
        client = await relay.join(request.label)
        try:
            browser = await (await self._driver()).chromium.connect_over_cdp(
                f"ws://{self._address}/cdp/{client.id}",
                headers={"Authorization": f"Bearer {client.secret}"},
                is_local=True,
                no_defaults=True,
                artifacts_dir=relay.files,
                timeout=request.launch_timeout_ms,
            )
        except Error as error:
            await relay.leave(client, close_tabs=False)
            raise BrowserUnavailable(f"The browser could not be taken over: {error.message.splitlines()[0]}") from error
        self._bridge.tell_news()
        context = OwnContext(relay, client, browser)
        self._contexts = [*(one for one in self._contexts if one.alive), context]
        return context

    async def let_go(self) -> None:
        """Leave every browser as it is: the hub ends, the tabs stay."""
        contexts, self._contexts = self._contexts, []
        await asyncio.gather(*(context.close(close_tabs=False) for context in contexts if context.alive))

    async def close(self) -> None:
        await self.let_go()
