"""One managed browser process, and the contexts in it.

Each session has a context of its own, with a way to the network of its own (``outlet``). One context more is kept
ready, if that is wanted, for the next session that asks for nothing special: it has a blank page, and is let in at the
proxy, but reaches nothing before it is somebody's. A process with a user data directory has one context only, which its
sessions share.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import cast

from playwright.async_api import Browser, BrowserContext, Error, Page
from playwright.async_api import StorageState as PlaywrightState

from ..egress import Failure, Refusal
from ..errors import BrowserUnavailable, InvalidArgument
from ..policy.hosts import Site
from ..policy.rules import Ruleset
from .context import CLOSE_SECONDS, AgentsContext
from .engine import ContextRequest, StorageState
from .finder import FoundBrowser
from .outlet import Outlet
from .presentation import Presentation
from .secret_urls import SecretUrlGuard


class ManagedContext(AgentsContext):
    """One session's context; for a persistent profile, its share of the only one."""

    def __init__(self, process: BrowserProcess, context: BrowserContext, outlet: Outlet) -> None:
        super().__init__(context)
        self._process = process
        self._outlet = outlet
        self._blank = list(context.pages) if process.persistent is None else []
        process.contexts.add(self)

    @property
    def alive(self) -> bool:
        return self._process.alive

    def lost(self) -> None:
        """The browser has died."""
        self._outlet.close()
        self._tell_lost()

    def take_blank_page(self) -> Page | None:
        page = self._blank.pop() if self._blank else None
        return None if page is None or page.is_closed() else page

    def let_open(self, site: Site) -> None:
        self._outlet.let_open(site)

    def trouble(self, url: str) -> Refusal | Failure | None:
        return self._outlet.trouble(url)

    async def keep_out_of_urls(self, values: Iterable[str]) -> None:
        kept = list(values)
        self._outlet.keep_in(kept)
        await self._process.guard.guard(self._context, kept)

    def belongs_to(self, rules: Callable[[], Ruleset]) -> ManagedContext:
        """A context that was kept ready is now a session's."""
        self._outlet.rules = rules
        return self

    async def close(self) -> None:
        self._process.contexts.discard(self)
        self._process.leave()
        if self._process.persistent and self._process.users:
            return
        self._outlet.close()
        if self._process.alive:
            await self._close_context()


class BrowserProcess:
    """``persistent`` is the only context of a browser with a user data directory, and its way to the network."""

    def __init__(
        self, found: FoundBrowser, browser: Browser, persistent: tuple[BrowserContext, Outlet] | None = None
    ) -> None:
        self.found = found
        self.browser = browser
        self.persistent = persistent
        self.guard = SecretUrlGuard(browser)
        self.alive = True
        self.users = 0
        self.unused_since = time.monotonic()
        self.contexts: set[ManagedContext] = set()
        self._spare_timer: asyncio.TimerHandle | None = None
        self._spare: asyncio.Task[ManagedContext | None] | None = None
        if persistent is None:
            browser.on("disconnected", lambda _: self._lost())
        else:
            persistent[0].on("close", lambda _: self._lost())

    def enter(self) -> None:
        self.users += 1

    def leave(self) -> None:
        self.users -= 1
        self.unused_since = time.monotonic()

    async def new_context(
        self, request: ContextRequest, outlet: Outlet, options: Presentation, state: StorageState | None
    ) -> ManagedContext:
        if self.persistent is not None:
            context, shared = self.persistent
            if request.domains != shared.within:
                raise BrowserUnavailable(
                    f"{request.user_data_dir} is in use by a session with other domains.",
                    suggestions=["Use the same domains, another folder, or none."],
                )
            return ManagedContext(self, context, shared)
        try:
            stored = cast("PlaywrightState | None", state)
            context = await self.browser.new_context(**options, proxy=outlet.settings, storage_state=stored)
        except Error as error:
            problem = _explain(error, state)
            if problem is None:
                raise
            raise problem from error
        try:
            await outlet.connect(context)
        except BaseException:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(context.close(), CLOSE_SECONDS)
            raise
        return ManagedContext(self, context, outlet)

    def keep_spare(
        self, make: Callable[[], Coroutine[None, None, ManagedContext]], *, most_users: int, delay_seconds: float
    ) -> None:
        """Have a context ready for the next session, if there are fewer than that many by then.

        It is made when the last one has had time to begin.
        """
        if self._spare is not None or self._spare_timer is not None or self.persistent is not None:
            return

        def begin() -> None:
            self._spare_timer = None
            if self.alive and self.users < most_users:
                self._spare = asyncio.create_task(_quietly(make()))

        self._spare_timer = asyncio.get_running_loop().call_later(delay_seconds, begin)

    async def take_spare(self) -> ManagedContext | None:
        """The context that was kept ready, or that is just being made so."""
        spare, self._spare = self._spare, None
        return await spare if spare is not None else None

    async def close(self) -> None:
        if self._spare_timer is not None:
            self._spare_timer.cancel()
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.cancel()
            await asyncio.wait({spare}, timeout=CLOSE_SECONDS)
        with suppress(Error, TimeoutError):
            closing = self.browser.close() if self.persistent is None else self.persistent[0].close()
            await asyncio.wait_for(closing, CLOSE_SECONDS)

    def _lost(self) -> None:
        self.alive = False
        contexts, self.contexts = self.contexts, set()
        for context in contexts:
            context.lost()


async def _quietly(work: Coroutine[None, None, ManagedContext]) -> ManagedContext | None:
    """A spare that cannot be made is made by whoever needs it, and told of there."""
    try:
        return await work
    except (Error, BrowserUnavailable):
        return None


def _explain(error: Error, state: StorageState | None) -> InvalidArgument | None:
    message = error.message.strip().splitlines()[0] if error.message.strip() else ""
    if "locale" in message.lower() or "timezone" in message.lower():
        return InvalidArgument(f"The browser does not take this: {message[:200]}")
    if state is not None and "closed" not in message:
        return InvalidArgument(
            f"The storage state cannot be put into a browser: {message[:200]}",
            suggestions=["Give it as Playwright writes it: {cookies: [...], origins: [...]}."],
        )
    return None
