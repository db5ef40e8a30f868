"""Remote browsers: at a CDP endpoint or in a Selenium Grid. Each session has its own connection and context.

In a Grid each session also has its own browser, which is released when the session closes, when its connection is lost
and when the hub ends. Remote browsers do not use our proxy: ``request_filter`` applies the rules inside the browser,
which is weaker than a managed browser's proxy (see SECURITY.md).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from typing import cast

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright
from playwright.async_api import StorageState as PlaywrightState
from playwright.async_api import TimeoutError as PlaywrightTimeout

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.egress import BlockedByPolicy, NetworkFailure, SessionAccessPolicy
from browser_pilot.errors import BrowserUnavailable, GridFull, GridUnavailable
from browser_pilot.policy.hosts import Site, page_site
from browser_pilot.policy.rules import Ruleset
from browser_pilot.upstream_errors import first_line

from .agent_context import CLOSE_TIMEOUT_SECONDS, AgentContext
from .context_options import ContextOptions, context_options
from .engine import ContextRequest, StorageState
from .request_filter import install_request_filter
from .url_leak_guard import UrlForms
from .webdriver import Grid, GridSession, NoBrowserStarted

logger = logging.getLogger(__name__)

KEEP_ALIVE_INTERVAL_SECONDS = 60.0
DIRECT_CONNECT_TIMEOUT_SECONDS = 3.0
MIN_CONNECT_TIMEOUT_SECONDS = 1.0
# Playwright waits for every page of the browser. One that a starting browser replaces just then never responds, but a
# second connection finds the browser ready.
FIRST_CONNECT_TIMEOUT_SECONDS = 3.0
RELEASE_TIMEOUT_SECONDS = 10.0
MAX_TRIES = 4


class RemoteContext(AgentContext):
    """``release`` starts to return the browser to its Grid, if it has one; the task outlives a cancelled ``close``."""

    def __init__(
        self,
        browser: Browser,
        context: BrowserContext,
        access_policy: SessionAccessPolicy,
        release: Callable[[], asyncio.Task[object]],
    ) -> None:
        super().__init__(context)
        self._browser = browser
        self._access_policy = access_policy
        self._forms = UrlForms()
        self._release = release
        self._alive = True
        self._releasing: asyncio.Task[object] | None = None
        browser.on("disconnected", lambda _: self._lost())

    @property
    def alive(self) -> bool:
        return self._alive

    def take_blank_page(self) -> Page | None:
        return None

    def allow_navigation(self, site: Site) -> None:
        self._access_policy.allow_navigation(site)

    def last_network_error(self, url: str) -> BlockedByPolicy | NetworkFailure | None:
        site = page_site(url)
        return None if site is None else self._access_policy.last_network_error(site)

    async def block_in_urls(self, values: Iterable[str]) -> None:
        self._forms.add(values)
        self._access_policy.carries_secret = self._forms.found_in

    async def close(self) -> None:
        await self._close_context()
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._browser.close(), CLOSE_TIMEOUT_SECONDS)
        self._lost()
        if self._releasing is not None:
            await asyncio.shield(self._releasing)

    def _lost(self) -> None:
        if not self._alive:
            return
        self._alive = False
        self._releasing = self._release()
        self._notify_lost()


class RemoteEngine:
    """``driver`` returns Playwright's driver."""

    def __init__(self, driver: Callable[[], Awaitable[Playwright]]) -> None:
        self._driver = driver
        self._contexts: set[RemoteContext] = set()
        self._releases = BackgroundTasks("the remote engine")

    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> RemoteContext:
        driver = await self._driver()
        options = context_options(request, cast("dict[str, dict[str, object]]", driver.devices))  # pyright: ignore[reportUnknownMemberType]
        access_policy = SessionAccessPolicy(rules, session_domains=request.domains)
        if request.engine == "cdp":
            browser = await _connect(driver, request, (_required(request.cdp_url, "cdp"),))
            return await self._context(browser, options, state, access_policy, _release_nothing, is_exclusive=False)
        grid = Grid(_required(request.grid_url, "grid"))
        session = await self._grid_session(grid, request)
        keep_alive = asyncio.create_task(_keep_alive(grid, session.id))

        async def release() -> None:
            keep_alive.cancel()
            with suppress(GridUnavailable, TimeoutError):
                await grid.delete_session(session.id)

        try:
            browser = await _connect(driver, request, session.cdp_urls)
            return await self._context(browser, options, state, access_policy, release, is_exclusive=True)
        except BaseException:
            await release()
            raise

    async def close(self) -> None:
        await asyncio.gather(*(context.close() for context in list(self._contexts)))
        # Releases under way, and requests that still wait in the Grid's queue: they get the slots just released.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._releases.wait(), RELEASE_TIMEOUT_SECONDS)
        self._releases.cancel()

    async def _context(
        self,
        browser: Browser,
        options: ContextOptions,
        state: StorageState | None,
        access_policy: SessionAccessPolicy,
        release: Callable[[], Coroutine[object, object, None]],
        *,
        is_exclusive: bool,
    ) -> RemoteContext:
        try:
            made = await browser.new_context(**options, storage_state=cast("PlaywrightState | None", state))
            await install_request_filter(browser, made, access_policy, is_exclusive=is_exclusive)
        except Error as error:
            with suppress(Error):
                await browser.close()
            raise BrowserUnavailable(f"The remote browser opened no context: {first_line(error.message)}") from error
        context = RemoteContext(browser, made, access_policy, lambda: self._releases.spawn(release()))
        self._contexts.add(context)
        context.on_lost(lambda: self._contexts.discard(context))
        return context

    async def _grid_session(self, grid: Grid, request: ContextRequest) -> GridSession:
        """Request a browser of the Grid. One that arrives after the timeout is released."""
        requested = asyncio.create_task(_new_session(grid, _capabilities(request)))
        try:
            return await asyncio.wait_for(asyncio.shield(requested), request.launch_timeout_ms / 1000)
        except TimeoutError:
            self._release_later(grid, requested)
            raise GridFull(
                f"The Grid at {grid.url} had no free browser within {request.launch_timeout_ms} ms.",
                suggestions=[
                    "Try again in a moment, or add nodes.",
                    "browser.launch_timeout_ms sets how long to wait.",
                ],
            ) from None
        except asyncio.CancelledError:
            self._release_later(grid, requested)
            raise

    def _release_later(self, grid: Grid, requested: asyncio.Task[GridSession]) -> None:
        async def release() -> None:
            with suppress(GridUnavailable, TimeoutError):
                await grid.delete_session((await requested).id)

        self._releases.spawn(release())


async def _connect(driver: Playwright, request: ContextRequest, urls: tuple[str, ...]) -> Browser:
    """Connect to the first URL that works. The first of several gets a short time only, the others what is left."""
    now = asyncio.get_running_loop().time
    until = now() + request.launch_timeout_ms / 1000
    problems: list[Error] = []
    for url in urls:
        left_seconds = until - now()
        if not problems and len(urls) > 1:
            left_seconds = min(left_seconds, DIRECT_CONNECT_TIMEOUT_SECONDS)
        try:
            return await connect_in_attempts(driver, url, max(left_seconds, MIN_CONNECT_TIMEOUT_SECONDS) * 1000)
        except Error as error:
            problems.append(error)
    reason = first_line(problems[-1].message) if problems else "no address"
    raise BrowserUnavailable(
        f"The remote browser cannot be reached: {reason[:300]}",
        suggestions=["Check that it runs and that the address is right; then try again."],
    )


async def connect_in_attempts(
    driver: Playwright, url: str, timeout_ms: float, *, no_defaults: bool | None = None
) -> Browser:
    """Connect to a browser that may just have started, in attempts of growing length."""
    attempt_ms = FIRST_CONNECT_TIMEOUT_SECONDS * 1000
    while attempt_ms < timeout_ms:
        with suppress(PlaywrightTimeout):
            return await driver.chromium.connect_over_cdp(url, timeout=attempt_ms, no_defaults=no_defaults)
        timeout_ms -= attempt_ms
        attempt_ms *= 2
    return await driver.chromium.connect_over_cdp(url, timeout=timeout_ms, no_defaults=no_defaults)


async def _new_session(grid: Grid, capabilities: dict[str, object]) -> GridSession:
    """Retry: a Grid may offer slots of a node that is gone until it notices."""
    for _ in range(MAX_TRIES - 1):
        with suppress(NoBrowserStarted):
            return await grid.new_session(capabilities)
    return await grid.new_session(capabilities)


async def _keep_alive(grid: Grid, session: str) -> None:
    """A Grid ends sessions without a WebDriver command for some minutes; CDP does not count."""
    while True:
        await asyncio.sleep(KEEP_ALIVE_INTERVAL_SECONDS)
        with suppress(GridUnavailable, TimeoutError):
            await grid.keep_alive(session)


async def _release_nothing() -> None:
    """A browser at a CDP endpoint is not ours to close."""


def _required(url: str | None, engine: str) -> str:
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
