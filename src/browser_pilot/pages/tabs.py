"""The tabs of one session in one context: opened by us or by the pages themselves, numbered, one of them current.

A context may be shared (a persistent profile), so only pages that we opened, and their popups, are ours. Where it is
exclusive (the user's own browser, of which a session sees its own tabs only), every page in it is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from playwright.async_api import BrowserContext, Page

from .playwright_errors import translated
from .tab import Tab
from .unreached import Troubles, no_troubles

# A tab came or went, or there is something new on its console or its network.
TabNews: TypeAlias = Literal["opened", "closed", "console", "network"]
Tell: TypeAlias = Callable[[str, TabNews], None]


class TabSet:
    """``tell`` is called with the id of a tab and what is new about it.

    ``blank_page`` gives a page that is open already and nobody's, for as long as there is one.
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
    ) -> None:
        self._context = context
        self._numbers = numbers
        self._troubles = troubles
        self._blank_page = blank_page
        self._tell = tell
        self._tabs: dict[str, Tab] = {}
        self._hidden: set[str] = set()
        self._not_closed_by_us: set[str] = set()
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

    def lost_with_browser(self) -> frozenset[str]:
        """What went down with the browser: it reports its pages closed before it is reported dead itself."""
        return frozenset(self._not_closed_by_us)

    async def open(self) -> Tab:
        with translated("Opening a tab"):
            page = self._blank_page() or await self._context.new_page()
        tab = self._of(page) or self._adopt(page)
        self.current_id = tab.id
        return tab

    async def open_hidden(self) -> Tab:
        """A tab that is not among the client's: not listed, never the current one, and without popups."""
        with translated("Opening a tab in the background"):
            page = await self._context.new_page()
        tab = Tab(f"h{secrets.token_hex(8)}", page, self._troubles)
        self._tabs[tab.id] = tab
        self._hidden.add(tab.id)
        self._not_closed_by_us.add(tab.id)
        page.on("popup", lambda popup: popup.close())
        page.on("close", lambda _: self._forget(tab))
        return tab

    def select(self, tab: Tab) -> None:
        self.current_id = tab.id

    async def close(self, tab: Tab) -> None:
        with translated("Closing the tab"):
            await tab.page.close()
        self._not_closed_by_us.discard(tab.id)
        self._forget(tab)

    def _adopt(self, page: Page) -> Tab:
        tab = Tab(f"t{next(self._numbers)}", page, self._troubles)
        self._tabs[tab.id] = tab
        self._not_closed_by_us.add(tab.id)
        page.on("popup", lambda popup: self._adopt_popup(tab, popup))
        page.on("close", lambda _: self._forget(tab))
        page.on("crash", lambda _: self._tell(tab.id, "closed"))
        tab.console.on_change(lambda: self._tell(tab.id, "console"))
        tab.network.on_change(lambda: self._tell(tab.id, "network"))
        self._tell(tab.id, "opened")
        return tab

    def _adopt_popup(self, opener: Tab, page: Page) -> None:
        if self._of(page) is None:
            opener.activity.note_tab(self._adopt(page).id, page.url)

    def _adopt_orphan(self, page: Page) -> None:
        """A link that was opened in a tab of its own has no opener, but the page that held it expects one."""
        opener = next((tab for tab in self if tab.activity.expects(page.url)), None)
        if opener is not None:
            self._adopt_popup(opener, page)
        elif self._exclusive:
            # A popup is told of as such right after this.
            asyncio.get_running_loop().call_soon(self._adopt_given, page)

    def _adopt_given(self, page: Page) -> None:
        """A tab that the user shared."""
        if not page.is_closed():
            tab = self._of(page) or self._adopt(page)
            self.current_id = self.current_id or tab.id

    def _of(self, page: Page) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.page is page), None)

    def _forget(self, tab: Tab) -> None:
        if self._tabs.pop(tab.id, None) is None:
            return
        if self.current_id == tab.id:
            self.current_id = next((one for one in reversed(self._tabs) if one not in self._hidden), None)
        if tab.id not in self._hidden:
            self._tell(tab.id, "closed")
        self._hidden.discard(tab.id)
