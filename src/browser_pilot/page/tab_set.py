"""The tabs of one session in one browser context: numbered, one of them current.

A context may be shared (a persistent profile), so only pages that the session opened, and their popups, belong to it.
In an exclusive context (the user's Chrome, of which a session sees its controlled tabs only) every page does, except
our own internal pages (``internal_pages``).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from playwright.async_api import BrowserContext, Download, Error, Page

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import BrowserCrashed
from browser_pilot.page.downloads.browser_download import BrowserDownload
from browser_pilot.page.observe.proxy_errors import NetworkErrorLookup, no_network_errors

from .internal_pages import is_internal, open_internal_page
from .playwright_errors import translated
from .tab import Tab

# A tab was opened or closed, or has new console or network entries.
TabEvent: TypeAlias = Literal["opened", "closed", "console", "network"]
TabEventListener: TypeAlias = Callable[[str, TabEvent], None]
# Handles a download that a tab started; returns its id.
DownloadListener: TypeAlias = Callable[[Tab, BrowserDownload], str]

# Playwright sets no deadline for opening or closing a page, and waits forever if its renderer dies meanwhile.
PAGE_TIMEOUT_SECONDS = 10


async def _always_alive() -> bool:
    return True


@dataclass(frozen=True)
class SavedTab:
    """What is needed to open a tab again. ``flooded``: its page flooded the browser before."""

    id: str
    url: str
    current: bool = False
    flooded: bool = False


@dataclass(frozen=True)
class ContextHooks:
    """What the engine provides about the context.

    ``last_network_error`` is the proxy's reason why a URL failed. ``take_blank_page`` returns an open unused page, if
    there is one. ``is_alive`` waits until it is certain whether the browser still runs.
    """

    last_network_error: NetworkErrorLookup = no_network_errors
    is_exclusive: bool = False
    take_blank_page: Callable[[], Page | None] = lambda: None
    is_alive: Callable[[], Awaitable[bool]] = _always_alive


_NO_HOOKS = ContextHooks()


class TabSet:
    """``on_event`` gets a tab's id and its event; ``on_download`` gets the downloads that tabs start."""

    def __init__(
        self,
        context: BrowserContext,
        numbers: Iterator[int],
        *,
        on_event: TabEventListener,
        on_download: DownloadListener = lambda _tab, _download: "",
        hooks: ContextHooks = _NO_HOOKS,
    ) -> None:
        self.current_id: str | None = None
        self._context = context
        self._numbers = numbers
        self._on_event = on_event
        self._on_download = on_download
        self._hooks = hooks
        self._tabs: dict[str, Tab] = {}
        self._hidden: set[str] = set()
        # A dying browser reports its pages closed before it is reported dead itself.
        self._just_closed: dict[str, SavedTab] = {}
        self._tasks = BackgroundTasks("the tabs of a session")
        context.on("page", self._adopt_orphan)
        for page in context.pages if hooks.is_exclusive else ():
            self._adopt_shared(page)

    def __iter__(self) -> Iterator[Tab]:
        return iter([tab for tab in self._tabs.values() if tab.open and tab.id not in self._hidden])

    def get(self, tab_id: str) -> Tab | None:
        """The tab, also if it crashed; None if it was closed."""
        return self._tabs.get(tab_id)

    def saved_tabs(self) -> tuple[SavedTab, ...]:
        """The tabs that are open, or were when the browser died, in order; without hidden tabs."""
        here = [self._saved(tab) for tab in self._tabs.values() if tab.id not in self._hidden]
        known = {tab.id: tab for tab in (*self._just_closed.values(), *here)}
        return tuple(sorted(known.values(), key=lambda tab: int(tab.id[1:])))

    @property
    def may_have_crashed(self) -> bool:
        """Whether a page has just closed, possibly because its browser died."""
        return bool(self._just_closed)

    async def open(self) -> Tab:
        page = await self._new_page("Opening a tab")
        tab = self._of(page) or self._adopt(page)
        self.current_id = tab.id
        return tab

    def crashed_tabs(self) -> tuple[SavedTab, ...]:
        """Tabs whose page has crashed, and that were not reopened yet."""
        return tuple(
            replace(self._saved(tab), flooded=tab.tracker.dropped_events.was_stopped)
            for tab in self._tabs.values()
            if tab.crashed and tab.id not in self._hidden
        )

    async def reopen(self, saved: SavedTab) -> Tab:
        """Open a blank page for a lost or crashed tab, under the same id."""
        crashed = self._tabs.get(saved.id)
        page = await self._new_page("Opening a tab again")
        was_current = saved.current or self.current_id == saved.id
        tab = self._adopt(page, tab_id=saved.id)
        if was_current or self.current_id is None:
            self.current_id = tab.id
        if crashed is not None:
            self._tasks.spawn(_close_crashed(crashed.page))
        return tab

    async def open_hidden(self) -> Tab:
        """Open a tab that is not listed, never current, and cannot open popups."""
        async with _bounded("Opening a tab in the background"):
            page = await open_internal_page(self._context)
        tab = Tab(f"h{secrets.token_hex(8)}", page, self._hooks.last_network_error)
        self._tabs[tab.id] = tab
        self._hidden.add(tab.id)
        page.on("popup", lambda popup: popup.close())
        page.on("close", lambda _: self._forget(tab))
        return tab

    def select(self, tab: Tab) -> None:
        self.current_id = tab.id

    async def close(self, tab: Tab) -> None:
        async with _bounded("Closing the tab"):
            await tab.page.close()
        self._forget(tab)
        self._just_closed.pop(tab.id, None)

    async def _new_page(self, action: str) -> Page:
        async with _bounded(action):
            return self._hooks.take_blank_page() or await self._context.new_page()

    def _adopt(self, page: Page, *, tab_id: str | None = None) -> Tab:
        tab = Tab(
            tab_id or f"t{next(self._numbers)}", page, self._hooks.last_network_error, on_download=self._handle_download
        )
        tab.dialogs.in_users_browser = self._hooks.is_exclusive
        self._tabs[tab.id] = tab
        page.on("popup", lambda popup: self._adopt_popup(tab, popup))
        page.on("close", lambda _: self._on_page_close(tab))
        page.on("crash", lambda _: self._on_event(tab.id, "closed"))
        tab.console.on_change(lambda: self._on_event(tab.id, "console"))
        tab.network.on_change(lambda: self._on_event(tab.id, "network"))
        self._on_event(tab.id, "opened")
        return tab

    def _handle_download(self, tab: Tab, download: Download) -> str:
        return self._on_download(tab, BrowserDownload(download, tab.page.url, tab.tracker.download_progress))

    def _adopt_popup(self, opener: Tab, page: Page) -> None:
        if self._of(page) is None:
            opener.tracker.note_tab(self._adopt(page).id, page.url)

    def _adopt_orphan(self, page: Page) -> None:
        """A link opened in a new tab has no opener, but the page that held it expects one."""
        opener = next((tab for tab in self if tab.tracker.expects_tab(page.url)), None)
        if opener is not None:
            self._adopt_popup(opener, page)
        elif self._hooks.is_exclusive:
            self._tasks.spawn(self._adopt_unless_internal(page))

    async def _adopt_unless_internal(self, page: Page) -> None:
        """Deferred: Playwright emits ``popup`` right after ``page``."""
        if not await is_internal(page):
            self._adopt_shared(page)

    def _adopt_shared(self, page: Page) -> None:
        """A tab that the user shared."""
        if not page.is_closed():
            tab = self._of(page) or self._adopt(page)
            self.current_id = self.current_id or tab.id

    def _of(self, page: Page) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.page is page), None)

    def _saved(self, tab: Tab) -> SavedTab:
        return SavedTab(tab.id, tab.page.url, current=self.current_id == tab.id)

    def _on_page_close(self, tab: Tab) -> None:
        """A page closed, or its browser died and is about to be reported dead."""
        if self._tabs.get(tab.id) is not tab:
            return
        self._just_closed[tab.id] = self._saved(tab)
        self._forget(tab)

        async def forget_if_alive() -> None:
            if await self._hooks.is_alive():
                self._just_closed.pop(tab.id, None)

        self._tasks.spawn(forget_if_alive())

    def _forget(self, tab: Tab) -> None:
        if self._tabs.get(tab.id) is not tab:
            return
        del self._tabs[tab.id]
        if self.current_id == tab.id:
            self.current_id = next((one for one in reversed(self._tabs) if one not in self._hidden), None)
        if tab.id not in self._hidden:
            self._on_event(tab.id, "closed")
        self._hidden.discard(tab.id)


@asynccontextmanager
async def _bounded(action: str) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(PAGE_TIMEOUT_SECONDS):
            with translated(action):
                yield
    except TimeoutError:
        raise BrowserCrashed(
            f"{action} did not finish within {PAGE_TIMEOUT_SECONDS} s: the browser does not respond.",
            suggestions=["Call again: the tab is opened again."],
        ) from None


async def _close_crashed(page: Page) -> None:
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(PAGE_TIMEOUT_SECONDS):
            await page.close()
