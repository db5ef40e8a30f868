"""Crash recovery of one session: owns its open browser, and reopens or reports it when it is lost.

Two modes. ``RestoringRecovery`` serves every engine but the user's Chrome: a lost browser is reopened with the stored
state, and lost or crashed tabs are reloaded under their ids at their last URLs. A session put to sleep is restored the
same way. ``ReportingRecovery`` serves the user's Chrome, which is not ours to restart: a loss is reported once.

Not here: hung pages (``hang_watchdog``) and the text of the notices (``reload_notices``). Lifecycle: created without a
browser; ``ensure_open`` opens one; ``close`` ends it for good.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from browser_pilot.engines.engine import LiveContext, StorageState
from browser_pilot.errors import NoSession, SessionLimit
from browser_pilot.page.tab_set import SavedTab, TabSet

from .reload_notices import BLANK, ReloadNotices, reload_tab
from .slots import SessionSlots
from .storage_checkpoints import StorageCheckpoints

BROWSER_CRASHED = "the browser ended unexpectedly"
PAGE_CRASHED = "the page crashed"
PAGE_FLOODED = "the page flooded the browser and was ended"
ASLEEP = "it was unloaded to save memory"


@dataclass(frozen=True)
class OpenBrowser:
    """A browser context and the session's tabs in it."""

    live: LiveContext
    tabs: TabSet


@dataclass(frozen=True)
class RestorePoint:
    """What a session can be restored from."""

    state: StorageState | None = None
    tabs: tuple[SavedTab, ...] = ()


# Opens a browser context that starts with a storage state.
BrowserOpener: TypeAlias = Callable[[StorageState | None], Awaitable[OpenBrowser]]


class CrashRecovery(ABC):
    """The part that both modes share. ``limit_error`` is raised when no slot becomes free in time."""

    def __init__(
        self,
        open_browser: BrowserOpener,
        slots: SessionSlots,
        limit_error: Callable[[], SessionLimit],
        *,
        state: StorageState | None = None,
    ) -> None:
        self.notices = ReloadNotices()
        self.browser: OpenBrowser | None = None
        self._open_browser = open_browser
        self._slots = slots
        self._limit_error = limit_error
        self._point = RestorePoint(state)
        # The tabs that are being reloaded: until that is done, their pages are blank.
        self._reloading: tuple[SavedTab, ...] = ()
        self._opening = asyncio.Lock()
        self._closed = False

    @property
    def lost_tabs(self) -> tuple[SavedTab, ...]:
        """Tabs that the next browser will be opened with."""
        return self._point.tabs

    async def ensure_open(self, *, wait_seconds: float = 0) -> OpenBrowser:
        """Return the browser; open it and restore what was lost first, where needed. Raises ``SessionLimit``."""
        async with self._opening:
            if self._closed:
                raise NoSession("The session was closed meanwhile.", suggestions=["Leave `session` out."])
            browser = self.browser
            if browser is not None and browser.live.alive:
                await self._restore_crashed(browser)
                return browser
            await self._slots.acquire(self, wait_seconds=wait_seconds, limit_error=self._limit_error)
            try:
                browser = await self._open_browser(self._point.state)
            except BaseException:
                await self._slots.release(self)
                raise
            self.browser, live = browser, browser.live
            live.on_lost(lambda: self._on_browser_lost(live))
            await self._restore_lost(browser)
            return browser

    @abstractmethod
    async def prepare(self) -> None:
        """Before each call on the session: bring the browser into a usable state."""

    @abstractmethod
    def take_unrestorable(self) -> frozenset[str]:
        """The ids of tabs that are lost for good and unreported; they count as reported afterwards."""

    @abstractmethod
    def after_use(self) -> None:
        """A call on the session has ended."""

    @abstractmethod
    async def sleep(self) -> bool:
        """Close the browser until the session is used again; False when it is in use or not ours to close."""

    async def restore_point(self) -> RestorePoint:
        """The storage and tabs as they are now."""
        if self.browser is None:
            return self._point
        await self._checkpoint()
        return RestorePoint(self._point.state, self.browser.tabs.saved_tabs() if self.browser else self._point.tabs)

    async def stop(self) -> None:
        """Open no browser any more. What is open stays so until ``close``."""
        self._closed = True

    async def close(self) -> None:
        await self.stop()
        async with self._opening:
            browser, self.browser = self.browser, None
            if browser is not None:
                for tab in () if browser.live.exclusive else browser.tabs:
                    await browser.tabs.close(tab)
                await browser.live.close()
            await self._slots.release(self)

    async def _checkpoint(self) -> None:
        if self.browser is not None and self.browser.live.alive:
            state = await self.browser.live.storage_state()
            if state is not None:
                self._point = RestorePoint(state, self._point.tabs)

    async def _restore_lost(self, browser: OpenBrowser) -> None:
        lost, self._point = self._point.tabs, RestorePoint(self._point.state)
        self._reloading = lost
        try:
            await self._reload(browser, lost)
            # A browser that died meanwhile is now known to be dead.
            await browser.live.flush_events()
        except BaseException:
            self._point = RestorePoint(self._point.state, lost)
            raise
        finally:
            self._reloading = ()
        if browser.live.alive:
            # The browser survived these pages, so that they did not end it.
            crashed = {tab.id for tab in browser.tabs.crashed_tabs()}
            for tab in lost:
                if tab.id not in crashed:
                    self.notices.clear_crash_history(tab.id)

    @abstractmethod
    async def _restore_crashed(self, browser: OpenBrowser) -> None:
        """Reload tabs whose page crashed in a browser that still runs."""

    async def _reload(self, browser: OpenBrowser, lost: Iterable[SavedTab]) -> None:
        """Open the lost tabs under their ids, at their URLs."""
        reopened = [(await browser.tabs.reopen(tab), self.notices.reload_url(tab)) for tab in lost]
        await asyncio.gather(*(reload_tab(tab, url, browser.live.allow_navigation) for tab, url in reopened))

    def _on_browser_lost(self, live: LiveContext) -> None:
        if self.browser is None or live is not self.browser.live:
            return
        lost = self._with_reloading(self.browser.tabs.saved_tabs())
        self.browser = None
        self.notices.record_lost(lost, BROWSER_CRASHED)
        self._keep_lost(lost)

    def _with_reloading(self, tabs: tuple[SavedTab, ...]) -> tuple[SavedTab, ...]:
        """The tabs that were being reloaded, with the URLs that they had before, and the others."""
        reloading = {tab.id for tab in self._reloading}
        others = (tab for tab in tabs if tab.id not in reloading)
        return tuple(sorted((*self._reloading, *others), key=lambda tab: int(tab.id[1:])))

    @abstractmethod
    def _keep_lost(self, lost: tuple[SavedTab, ...]) -> None:
        """The browser died with these tabs."""


class RestoringRecovery(CrashRecovery):
    """Restores storage and tabs in a new browser. While ``is_busy``, it takes no checkpoint and does not sleep."""

    def __init__(
        self,
        open_browser: BrowserOpener,
        slots: SessionSlots,
        limit_error: Callable[[], SessionLimit],
        *,
        state: StorageState | None = None,
        is_busy: Callable[[], bool],
    ) -> None:
        super().__init__(open_browser, slots, limit_error, state=state)
        self._is_busy = is_busy
        self._checkpoints = StorageCheckpoints(self._checkpoint, is_busy)

    async def prepare(self) -> None:
        if self.browser is not None and self.browser.tabs.may_have_crashed:
            await self.browser.live.flush_events()
        if self.browser is None:
            if self.lost_tabs:
                await self.ensure_open()
        elif not self.browser.live.alive or self.browser.tabs.crashed_tabs():
            await self.ensure_open()

    def take_unrestorable(self) -> frozenset[str]:
        return frozenset()

    def after_use(self) -> None:
        if self.browser is not None and not self._closed:
            self._checkpoints.schedule()

    async def sleep(self) -> bool:
        async with self._opening:
            browser = self.browser
            if browser is None:
                return False
            state = await browser.live.storage_state()
            if self._is_busy() or self.browser is not browser or state is None:
                return False
            self._point = RestorePoint(state, browser.tabs.saved_tabs())
            self.notices.record_lost(self._point.tabs, ASLEEP)
            self.browser = None
            self._checkpoints.pause()
            await browser.live.close()
            await self._slots.release(self)
            return True

    async def stop(self) -> None:
        await super().stop()
        await self._checkpoints.close()

    async def _restore_crashed(self, browser: OpenBrowser) -> None:
        if crashed := browser.tabs.crashed_tabs():
            self.notices.record_lost([tab for tab in crashed if tab.flooded], PAGE_FLOODED)
            self.notices.record_lost([tab for tab in crashed if not tab.flooded], PAGE_CRASHED)
            # A page that flooded would do so again.
            await self._reload(browser, [replace(tab, url=BLANK) if tab.flooded else tab for tab in crashed])

    def _keep_lost(self, lost: tuple[SavedTab, ...]) -> None:
        self._checkpoints.pause()
        if not self._closed:
            self._point = RestorePoint(self._point.state, lost)


class ReportingRecovery(CrashRecovery):
    """Reports lost tabs once and restores nothing; tabs may exist before the session opens any."""

    async def prepare(self) -> None:
        (await self.ensure_open()).live.raise_if_halted()

    def take_unrestorable(self) -> frozenset[str]:
        return self.notices.take_unreported()

    def after_use(self) -> None:
        """The storage of the user's Chrome is not read."""

    async def sleep(self) -> bool:
        return False

    async def _restore_crashed(self, browser: OpenBrowser) -> None:
        """A crashed page stays crashed; ``Session.tab`` reports it."""

    def _keep_lost(self, lost: tuple[SavedTab, ...]) -> None:
        """Lost tabs are not restored."""
