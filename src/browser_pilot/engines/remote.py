"""Browsers elsewhere: at any CDP endpoint, or in a Selenium Grid. Each session has its own connection and context.

In a Grid each session also has a browser of its own, which is given back when the session closes, when its connection
is lost and when the hub ends. Such browsers do not go through our proxy: the rules are applied to each request in the
browser itself (``remote_rules``), which is less than a managed browser's (see SECURITY.md).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import cast

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright
from playwright.async_api import StorageState as PlaywrightState

from ..egress import Failure, Refusal, SessionGate
from ..errors import BrowserUnavailable, GridFull, GridUnavailable
from ..policy.hosts import Site, page_site
from ..policy.rules import Ruleset
from .context import CLOSE_SECONDS, AgentsContext
from .engine import ContextRequest, StorageState
from .presentation import Presentation, presentation
from .remote_rules import hold_to_rules
from .secret_urls import UrlForms
from .webdriver import Grid, GridSession, NodeLost

logger = logging.getLogger(__name__)

KEEP_SECONDS = 60.0
STRAIGHT_SECONDS = 3.0
LATE_SECONDS = 10.0
TRIES = 4


class RemoteContext(AgentsContext):
    """``release`` gives the browser back, if there is something to give back."""

    def __init__(
        self, browser: Browser, context: BrowserContext, gate: SessionGate, release: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(context)
        self._browser = browser
        self._gate = gate
        self._forms = UrlForms()
        self._release = release
        self._alive = True
        self._releasing: asyncio.Task[None] | None = None
        browser.on("disconnected", lambda _: self._lost())

    @property
    def alive(self) -> bool:
        return self._alive

    def take_blank_page(self) -> Page | None:
        return None

    def let_open(self, site: Site) -> None:
        self._gate.open(site)

    def trouble(self, url: str) -> Refusal | Failure | None:
        site = page_site(url)
        return None if site is None else self._gate.trouble(site)

    async def keep_out_of_urls(self, values: Iterable[str]) -> None:
        self._forms.add(values)
        self._gate.carries_secret = self._forms.found_in

    async def close(self) -> None:
        await self._close_context()
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._browser.close(), CLOSE_SECONDS)
        self._lost()
        if self._releasing is not None:
            await self._releasing

    def _lost(self) -> None:
        if not self._alive:
            return
        self._alive = False
        self._releasing = asyncio.ensure_future(self._release())
        self._tell_lost()


class RemoteEngine:
    """``driver`` gives Playwright's driver."""

    def __init__(self, driver: Callable[[], Awaitable[Playwright]]) -> None:
        self._driver = driver
        self._contexts: set[RemoteContext] = set()
        self._late: set[asyncio.Task[None]] = set()

    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> RemoteContext:
        driver = await self._driver()
        options = presentation(request, cast("dict[str, dict[str, object]]", driver.devices))  # pyright: ignore[reportUnknownMemberType]
        gate = SessionGate(rules, within=request.domains)
        if request.engine == "cdp":
            browser = await _connect(driver, request, (_wanted(request.cdp_url, "cdp"),))
            return await self._context(browser, options, state, gate, _nothing, alone=False)
        grid = Grid(_wanted(request.grid_url, "grid"))
        session = await self._place(grid, request)
        keeping = asyncio.create_task(_keep(grid, session.id))

        async def release() -> None:
            keeping.cancel()
            with suppress(GridUnavailable, TimeoutError):
                await grid.end(session.id)

        try:
            browser = await _connect(driver, request, session.cdp_urls)
            return await self._context(browser, options, state, gate, release, alone=True)
        except BaseException:
            await release()
            raise

    async def close(self) -> None:
        await asyncio.gather(*(context.close() for context in list(self._contexts)))
        if self._late:
            # The places that were just given back are theirs, so that it does not take long.
            _, never = await asyncio.wait(self._late, timeout=LATE_SECONDS)
            for task in never:
                task.cancel()

    async def _context(
        self,
        browser: Browser,
        options: Presentation,
        state: StorageState | None,
        gate: SessionGate,
        release: Callable[[], Awaitable[None]],
        *,
        alone: bool,
    ) -> RemoteContext:
        try:
            made = await browser.new_context(**options, storage_state=cast("PlaywrightState | None", state))
            await hold_to_rules(browser, made, gate, alone=alone)
        except Error as error:
            with suppress(Error):
                await browser.close()
            raise BrowserUnavailable(f"The remote browser gave no context: {error.message.splitlines()[0]}") from error
        context = RemoteContext(browser, made, gate, release)
        self._contexts.add(context)
        context.on_lost(lambda: self._contexts.discard(context))
        return context

    async def _place(self, grid: Grid, request: ContextRequest) -> GridSession:
        """A browser in the Grid. One that comes too late is given back."""
        asked = asyncio.create_task(_new_session(grid, _capabilities(request)))
        try:
            return await asyncio.wait_for(asyncio.shield(asked), request.launch_timeout_ms / 1000)
        except TimeoutError:
            self._give_back_later(grid, asked)
            raise GridFull(
                f"The Grid at {grid.url} had no free browser within {request.launch_timeout_ms} ms.",
                suggestions=[
                    "Try again in a moment, or add nodes.",
                    "browser.launch_timeout_ms says how long to wait.",
                ],
            ) from None
        except asyncio.CancelledError:
            self._give_back_later(grid, asked)
            raise

    def _give_back_later(self, grid: Grid, asked: asyncio.Task[GridSession]) -> None:
        async def give_back() -> None:
            with suppress(GridUnavailable, TimeoutError):
                await grid.end((await asked).id)

        task = asyncio.create_task(give_back())
        self._late.add(task)
        task.add_done_callback(self._late.discard)


async def _connect(driver: Playwright, request: ContextRequest, urls: tuple[str, ...]) -> Browser:
    """By the first address that works; all but the last are given little time."""
    problem: Error | None = None
    for url in urls:
        last = url == urls[-1]
        timeout = request.launch_timeout_ms if last else min(request.launch_timeout_ms, STRAIGHT_SECONDS * 1000)
        try:
            return await driver.chromium.connect_over_cdp(url, timeout=timeout)
        except Error as error:
            problem = error
    words = problem.message.strip().splitlines()[0] if problem is not None else "no address"
    raise BrowserUnavailable(
        f"The remote browser cannot be reached: {words[:300]}",
        suggestions=["Check that it runs and that the address is right; then try again."],
    )


async def _new_session(grid: Grid, capabilities: dict[str, object]) -> GridSession:
    """A Grid may still offer places on a node that is gone, and forgets it by and by."""
    for _ in range(TRIES - 1):
        with suppress(NodeLost):
            return await grid.new_session(capabilities)
    return await grid.new_session(capabilities)


async def _keep(grid: Grid, session: str) -> None:
    """A Grid ends sessions that get no WebDriver command for some minutes; CDP does not count."""
    while True:
        await asyncio.sleep(KEEP_SECONDS)
        with suppress(GridUnavailable, TimeoutError):
            await grid.keep(session)


async def _nothing() -> None:
    """A browser at a CDP endpoint is somebody else's to end."""


def _wanted(url: str | None, engine: str) -> str:
    if url is None:
        raise BrowserUnavailable(
            f"The engine {engine} needs an address.", suggestions=[f"Set browser.{engine}_url, or give --{engine} URL."]
        )
    return url


def _capabilities(request: ContextRequest) -> dict[str, object]:
    name = request.executable if request.executable in ("chrome", "edge") else None
    browser = "MicrosoftEdge" if name == "edge" else "chrome"
    arguments = [*(["--headless=new"] if request.headless else []), *request.args]
    options = "ms:edgeOptions" if name == "edge" else "goog:chromeOptions"
    return {"browserName": browser, options: {"args": arguments}, "se:name": request.label}
