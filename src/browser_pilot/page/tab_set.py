"""The tabs of one session in one context: opened by us or by the pages themselves, numbered, one of them current.

A context may be shared (a persistent profile), so only pages that we opened, and their popups, are ours. Where it is
exclusive (the user's own browser, of which a session sees its own tabs only), every page in it is, but for those that
we open for ourselves (``own_pages``).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from playwright.async_api import BrowserContext, Download, Error, Page

from .caught import Caught
from .own_pages import is_ours, open_own_page
from .playwright_errors import translated
from .tab import Tab
from .unreached import Troubles, no_troubles

# A tab came or went, or there is something new on its console or its network.
TabNews: TypeAlias = Literal["opened", "closed", "console", "network"]
Tell: TypeAlias = Callable[[str, TabNews], None]
# Takes a download that a tab set off; gives its handle.
Catch: TypeAlias = Callable[[Tab, Caught], str]


async def _always() -> bool:
    return True


@dataclass(frozen=True)
class KeptTab:
    """As much of a tab as can be opened again."""

    id: str
    url: str
    current: bool = False


class TabSet:
    """``tell`` is called with the id of a tab and what is new about it.

    ``blank_page`` gives a page that is open already and nobody's, for as long as there is one. ``is_alive`` comes back
    once it is known whether the browser still lives, and says so.
    """

    def __init__(
        self,
        context: BrowserContext,
        numbers: Iterator[int],
        *,
        tell: Tell,
        troubles: Troubles = no_troubles,
        exclusive: bool = False,
        blank_page: Callable[[], Page | None] = lambda: None,
        is_alive: Callable[[], Awaitable[bool]] = _always,
        catch: Catch = lambda _tab, _caught: "",
    ) -> None:
        self._context = context
        self._numbers = numbers
        self._troubles = troubles
        self._blank_page = blank_page
        self._tell = tell
        self._take = catch
        self._tabs: dict[str, Tab] = {}
        self._hidden: set[str] = set()
        self._is_alive = is_alive
        # A dying browser reports its pages closed before it is reported dead itself.
        self._just_closed: dict[str, KeptTab] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self.current_id: str | None = None
        self._exclusive = exclusive
        context.on("page", self._adopt_orphan)
        for page in context.pages if exclusive else ():
            self._adopt_given(page)

    def __iter__(self) -> Iterator[Tab]:
        return iter([tab for tab in self._tabs.values() if tab.open and tab.id not in self._hidden])

    def get(self, tab_id: str) -> Tab | None:
        """The tab, crashed ones included; closed ones are gone."""
        return self._tabs.get(tab_id)

    def kept(self) -> tuple[KeptTab, ...]:
        """What is open, or was when the browser died, in order; hidden tabs are not."""
        here = [self._keep(tab) for tab in self._tabs.values() if tab.id not in self._hidden]
        known = {tab.id: tab for tab in (*self._just_closed.values(), *here)}
        return tuple(sorted(known.values(), key=lambda tab: int(tab.id[1:])))

    @property
    def in_doubt(self) -> bool:
        """Whether a page has just closed, and it is not known yet if that was its browser's end."""
        return bool(self._just_closed)

    async def open(self) -> Tab:
        with translated("Opening a tab"):
            page = self._blank_page() or await self._context.new_page()
        tab = self._of(page) or self._adopt(page)
        self.current_id = tab.id
        return tab

    def crashed(self) -> tuple[KeptTab, ...]:
        """Tabs whose page has crashed, and that were not opened again yet."""
        return tuple(self._keep(tab) for tab in self._tabs.values() if tab.crashed and tab.id not in self._hidden)

    async def reopen(self, kept: KeptTab) -> Tab:
        """A new page for a tab that is gone or crashed, under the same id; still blank."""
        crashed = self._tabs.get(kept.id)
        with translated("Opening a tab again"):
            page = self._blank_page() or await self._context.new_page()
        was_current = kept.current or self.current_id == kept.id
        tab = self._adopt(page, tab_id=kept.id)
        if was_current or self.current_id is None:
            self.current_id = tab.id
        if crashed is not None:
            with suppress(Error):
                await crashed.page.close()
        return tab

    async def open_hidden(self) -> Tab:
        """A tab that is not among the client's: not listed, never the current one, and without popups."""
        with translated("Opening a tab in the background"):
            page = await open_own_page(self._context)
        tab = Tab(f"h{secrets.token_hex(8)}", page, self._troubles)
        self._tabs[tab.id] = tab
        self._hidden.add(tab.id)
        page.on("popup", lambda popup: popup.close())
        page.on("close", lambda _: self._forget(tab))
        return tab

    def select(self, tab: Tab) -> None:
        self.current_id = tab.id

    async def close(self, tab: Tab) -> None:
        with translated("Closing the tab"):
            await tab.page.close()
        self._forget(tab)
        self._just_closed.pop(tab.id, None)

    def _adopt(self, page: Page, *, tab_id: str | None = None) -> Tab:
        tab = Tab(tab_id or f"t{next(self._numbers)}", page, self._troubles, catch=self._catch)
        self._tabs[tab.id] = tab
        page.on("popup", lambda popup: self._adopt_popup(tab, popup))
        page.on("close", lambda _: self._note_close(tab))
        page.on("crash", lambda _: self._tell(tab.id, "closed"))
        tab.console.on_change(lambda: self._tell(tab.id, "console"))
        tab.network.on_change(lambda: self._tell(tab.id, "network"))
        self._tell(tab.id, "opened")
        return tab

    def _catch(self, tab: Tab, download: Download) -> str:
        return self._take(tab, Caught(download, tab.page.url, tab.activity.download_watch))

    def _adopt_popup(self, opener: Tab, page: Page) -> None:
        if self._of(page) is None:
            opener.activity.note_tab(self._adopt(page).id, page.url)

    def _adopt_orphan(self, page: Page) -> None:
        """A link that was opened in a tab of its own has no opener, but the page that held it expects one."""
        opener = next((tab for tab in self if tab.activity.expects(page.url)), None)
        if opener is not None:
            self._adopt_popup(opener, page)
        elif self._exclusive:
            self._later(self._adopt_unless_ours(page))

    async def _adopt_unless_ours(self, page: Page) -> None:
        """Not at once: a popup is told of as such right after this."""
        if not await is_ours(page):
            self._adopt_given(page)

    def _adopt_given(self, page: Page) -> None:
        """A tab that the user shared."""
        if not page.is_closed():
            tab = self._of(page) or self._adopt(page)
            self.current_id = self.current_id or tab.id

    def _of(self, page: Page) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.page is page), None)

    def _keep(self, tab: Tab) -> KeptTab:
        return KeptTab(tab.id, tab.page.url, current=self.current_id == tab.id)

    def _note_close(self, tab: Tab) -> None:
        """A page closed, or its browser is about to be reported dead."""
        if self._tabs.get(tab.id) is not tab:
            return
        self._just_closed[tab.id] = self._keep(tab)
        self._forget(tab)

        async def ask() -> None:
            if await self._is_alive():
                self._just_closed.pop(tab.id, None)

        self._later(ask())

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    def _forget(self, tab: Tab) -> None:
        if self._tabs.get(tab.id) is not tab:
            return
        del self._tabs[tab.id]
        if self.current_id == tab.id:
            self.current_id = next((one for one in reversed(self._tabs) if one not in self._hidden), None)
        if tab.id not in self._hidden:
            self._tell(tab.id, "closed")
        self._hidden.discard(tab.id)
