"""The user's own Chrome, through the extension: sessions get the tabs that the user shares, and open more.

Each session has its own Playwright connection to the relay, which shows it its own tabs only. A session that ends
closes the tabs that it opened; tabs that the user shared stay. When the hub ends, all tabs stay.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import cast

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright, Route

from browser_pilot.egress import BlockedByPolicy, NetworkFailure
from browser_pilot.errors import BrowserUnavailable, InvalidArgument
from browser_pilot.extension_bridge.bridge import Bridge
from browser_pilot.extension_bridge.cdp_relay.cdp_client import CdpClient
from browser_pilot.extension_bridge.cdp_relay.relay import Relay
from browser_pilot.files.file_saver import FileSaver
from browser_pilot.json_types import JsonObject
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.rules import Ruleset
from browser_pilot.upstream_errors import first_line

from .engine import ContextRequest, StorageState
from .url_leak_guard import UrlForms

CLOSE_TIMEOUT_SECONDS = 5.0

# Starts or returns the Playwright driver process.
Driver = Callable[[], Awaitable[Playwright]]


class UserChromeContext:
    """One session's tabs in the user's browser."""

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
    def client_id(self) -> str:
        return self._client.id

    @property
    def file_saver(self) -> FileSaver | None:
        return self._relay

    def raise_if_halted(self) -> None:
        self._relay.raise_if_halted()

    def on_lost(self, callback: Callable[[], None]) -> None:
        self._lost_callbacks.append(callback)

    async def flush_events(self) -> None:
        # The relay sends in order: the response to any command comes after all earlier events.
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self.context.cookies("http://localhost/"), CLOSE_TIMEOUT_SECONDS)

    def take_blank_page(self) -> Page | None:
        return None  # open pages belong to the user or to an agent

    def allow_navigation(self, site: Site) -> None:
        """Nothing to do: declarativeNetRequest rules hold in the browser, and the gateway authorized the navigation."""

    def last_network_error(self, url: str) -> BlockedByPolicy | NetworkFailure | None:
        return None  # no proxy in between: the browser itself reports the reason

    async def block_in_urls(self, values: Iterable[str]) -> None:
        was_off = not self._forms.patterns()
        self._forms.add(values)
        if was_off and self._forms.patterns():
            await self.context.route(self._forms.found_in, _abort)

    async def bring_to_front(self, page: Page) -> None:
        session = await self.context.new_cdp_session(page)
        try:
            info = cast("JsonObject", await session.send("Target.getTargetInfo"))  # pyright: ignore[reportUnknownMemberType]
        finally:
            await session.detach()
        await self._relay.bring_to_front(self._client, str(info["targetInfo"]["targetId"]))

    async def storage_state(self) -> StorageState | None:
        return None  # the user's cookies stay in the user's browser

    async def close(self, *, close_tabs: bool = True) -> None:
        await self._relay.remove_client(self._client, close_tabs=close_tabs)
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._browser.close(), CLOSE_TIMEOUT_SECONDS)
        self._lost()

    def _lost(self) -> None:
        self._alive = False
        callbacks, self._lost_callbacks = self._lost_callbacks, []
        for callback in callbacks:
            callback()


async def _abort(route: Route) -> None:
    with suppress(Error):
        await route.abort("blockedbyclient")


class UserChromeEngine:
    """``driver`` returns Playwright's driver. ``set_address`` sets the address of the relay."""

    def __init__(self, bridge: Bridge, driver: Driver) -> None:
        self._bridge = bridge
        self._driver = driver
        self._address = ""
        self._contexts: list[UserChromeContext] = []

    def set_address(self, host: str, port: int) -> None:
        self._address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> UserChromeContext:
        """``rules`` is not used: the bridge sends the current rules to every browser."""
        if state is not None:
            raise InvalidArgument(
                "Stored state cannot be restored in the user's own browser.",
                suggestions=["Leave out `profile` and `storage_state`, or use the managed engine."],
            )
        relay = await self._bridge.relay_of(request.own_browser)
        relay.raise_if_halted()
        client = await relay.add_client(request.label)
        try:
            browser = await (await self._driver()).chromium.connect_over_cdp(
                f"ws://{self._address}/cdp/{client.id}",
                headers={"Authorization": f"Bearer {client.secret}"},
                is_local=True,
                no_defaults=True,
                artifacts_dir=relay.downloads_folder,
                timeout=request.launch_timeout_ms,
            )
        except Error as error:
            await relay.remove_client(client, close_tabs=False)
            raise BrowserUnavailable(f"Could not connect to the browser: {first_line(error.message)}") from error
        self._bridge.publish_state()
        context = UserChromeContext(relay, client, browser)
        self._contexts = [*(one for one in self._contexts if one.alive), context]
        return context

    async def wait_resumed(self, request: ContextRequest, seconds: float) -> None:
        """Wait while the user has paused agents in the browser of a session; raise if they are halted then."""
        if request.engine == "own":
            await self._bridge.wait_resumed(request.own_browser, seconds)

    async def disconnect_all(self) -> None:
        """Disconnect from every browser; all tabs stay. Called when the hub ends."""
        contexts, self._contexts = self._contexts, []
        await asyncio.gather(*(context.close(close_tabs=False) for context in contexts if context.alive))

    async def close(self) -> None:
        await self.disconnect_all()
