"""One managed browser process and its contexts.

Each session has its own context with its own ``ProxySession``. If enabled, one warm context is kept for the next
session without special options: it has a blank page and is authenticated at the proxy, but no site is allowed before a
session takes it. A process with a user data directory has a single context, which its sessions share.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import cast

from playwright.async_api import Browser, BrowserContext, Error, Page
from playwright.async_api import StorageState as PlaywrightState

from browser_pilot.egress import BlockedByPolicy, NetworkFailure
from browser_pilot.errors import BrowserUnavailable, InvalidArgument
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.rules import Ruleset
from browser_pilot.upstream_errors import (
    BROWSER_CLOSED,
    UNKNOWN_LOCALE_OR_TIMEZONE,
    first_line,
    is_driver_failure,
)

from .agent_context import CLOSE_TIMEOUT_SECONDS, AgentContext
from .browser_finder import FoundBrowser
from .browser_watchdog import BrowserWatchdog
from .context_options import ContextOptions
from .engine import ContextRequest, StorageState
from .proxy_session import ProxySession
from .url_leak_guard import UrlLeakGuard


class ManagedContext(AgentContext):
    """One session's context; with a persistent profile, its handle on the shared one."""

    def __init__(self, process: BrowserProcess, context: BrowserContext, proxy_session: ProxySession) -> None:
        super().__init__(context)
        self._process = process
        self._proxy_session = proxy_session
        self._blank = list(context.pages) if process.persistent is None else []
        for page in self._blank:
            page.on("crash", self._drop_crashed)
        process.contexts.add(self)

    @property
    def alive(self) -> bool:
        return self._process.alive

    def mark_lost(self) -> None:
        """Called when the browser has died."""
        self._proxy_session.close()
        self._notify_lost()

    def take_blank_page(self) -> Page | None:
        page = self._blank.pop() if self._blank else None
        return None if page is None or page.is_closed() else page

    def _drop_crashed(self, page: Page) -> None:
        if page in self._blank:
            self._blank.remove(page)

    def allow_navigation(self, site: Site) -> None:
        self._proxy_session.allow_navigation(site)

    def last_network_error(self, url: str) -> BlockedByPolicy | NetworkFailure | None:
        return self._proxy_session.last_network_error(url)

    async def block_in_urls(self, values: Iterable[str]) -> None:
        secrets = list(values)
        self._proxy_session.block_in_urls(secrets)
        await self._process.guard.guard(self._context, secrets)

    def assign_to(self, rules: Callable[[], Ruleset]) -> ManagedContext:
        """Assign a warm context to a session."""
        self._proxy_session.rules = rules
        return self

    async def close(self) -> None:
        self._process.contexts.discard(self)
        self._process.release()
        if self._process.persistent and self._process.users:
            return
        self._proxy_session.close()
        if self._process.alive:
            await self._close_context()


class BrowserProcess:
    """``persistent``: the only context of a browser with a user data directory, and its proxy session.

    ``on_unreported_end``: the browser was killed, and the driver does not report it. ``on_error``: the driver may have
    ended.
    """

    def __init__(
        self,
        found: FoundBrowser,
        browser: Browser,
        persistent: tuple[BrowserContext, ProxySession] | None = None,
        *,
        on_unreported_end: Callable[[], None] = lambda: None,
        on_error: Callable[[], None] = lambda: None,
    ) -> None:
        self.found = found
        self.browser = browser
        self.persistent = persistent
        self.guard = UrlLeakGuard(browser)
        self.alive = True
        self.users = 0
        self.unused_since = time.monotonic()
        self.contexts: set[ManagedContext] = set()
        self._warm_timer: asyncio.TimerHandle | None = None
        self._warm: asyncio.Task[ManagedContext | None] | None = None
        if persistent is None:
            browser.on("disconnected", lambda _: self.mark_lost())
        else:
            persistent[0].on("close", lambda _: self.mark_lost())
        self._watchdog = BrowserWatchdog(browser, self._on_killed, on_error)
        self._on_unreported_end = on_unreported_end
        self._watchdog.start()

    def acquire(self) -> None:
        self.users += 1

    def release(self) -> None:
        self.users -= 1
        self.unused_since = time.monotonic()

    async def new_context(
        self, request: ContextRequest, proxy_session: ProxySession, options: ContextOptions, state: StorageState | None
    ) -> ManagedContext:
        if self.persistent is not None:
            context, shared = self.persistent
            if request.domains != shared.allowed_domains:
                raise BrowserUnavailable(
                    f"{request.user_data_dir} is in use by a session with other domains.",
                    suggestions=["Use the same domains, another folder, or none."],
                )
            return ManagedContext(self, context, shared)
        try:
            stored = cast("PlaywrightState | None", state)
            context = await self.browser.new_context(**options, proxy=proxy_session.settings, storage_state=stored)
        except Error as error:
            problem = _argument_error(error, state)
            if problem is None:
                raise
            raise problem from error
        try:
            await proxy_session.connect(context)
        except BaseException:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(context.close(), CLOSE_TIMEOUT_SECONDS)
            raise
        return ManagedContext(self, context, proxy_session)

    def keep_warm_context(
        self, make: Callable[[], Coroutine[None, None, ManagedContext]], *, max_users: int, delay_seconds: float
    ) -> None:
        """Make a warm context after ``delay_seconds``, unless the process has ``max_users`` sessions by then.

        The delay leaves the session that took the last one the time to load its first page.
        """
        if self._warm is not None or self._warm_timer is not None or self.persistent is not None:
            return

        def begin() -> None:
            self._warm_timer = None
            if self.alive and self.users < max_users:
                self._warm = asyncio.create_task(_or_none(make()))

        self._warm_timer = asyncio.get_running_loop().call_later(delay_seconds, begin)

    async def take_warm_context(self) -> ManagedContext | None:
        """Take the warm context, also one that is still being made."""
        warm, self._warm = self._warm, None
        return await warm if warm is not None else None

    async def close(self) -> None:
        self._watchdog.stop()
        if self._warm_timer is not None:
            self._warm_timer.cancel()
        warm, self._warm = self._warm, None
        if warm is not None:
            warm.cancel()
            await asyncio.wait({warm}, timeout=CLOSE_TIMEOUT_SECONDS)
        with suppress(Error, TimeoutError):
            closing = self.browser.close() if self.persistent is None else self.persistent[0].close()
            await asyncio.wait_for(closing, CLOSE_TIMEOUT_SECONDS)

    def _on_killed(self) -> None:
        if self.alive:
            self.mark_lost()
            self._on_unreported_end()

    def mark_lost(self) -> None:
        """The browser has ended, or cannot be reached any more."""
        self.alive = False
        self._watchdog.stop()
        contexts, self.contexts = self.contexts, set()
        for context in contexts:
            context.mark_lost()


async def _or_none(work: Coroutine[None, None, ManagedContext]) -> ManagedContext | None:
    """A failure is not reported here: the next session makes its own context and reports it."""
    try:
        return await work
    except (Error, BrowserUnavailable):
        return None


def _argument_error(error: Error, state: StorageState | None) -> InvalidArgument | None:
    message = first_line(error.message)
    if UNKNOWN_LOCALE_OR_TIMEZONE.matches(message):
        return InvalidArgument(f"The browser rejects this: {message[:200]}")
    if state is not None and not BROWSER_CLOSED.matches(message) and not is_driver_failure(message):
        return InvalidArgument(
            f"The browser rejects the storage state: {message[:200]}",
            suggestions=["Use Playwright's format: {cookies: [...], origins: [...]}."],
        )
    return None
