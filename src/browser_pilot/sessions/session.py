"""A client's browser state: one context and the tabs in it.

Its life: created empty; the first use opens a context in a browser; when that browser dies the session forgets its
tabs, tells the next caller that needs one of them, and opens a new context for whoever comes next; ``close`` ends it.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from ..config import EngineName
from ..engines.engine import ContextRequest, Engine, LiveContext
from ..errors import BrowserCrashed, NoTab, PilotError
from ..pages.tab import Tab
from ..pages.tabs import TabSet, Tell
from ..policy.hosts import Site
from ..policy.patterns import Pattern
from ..policy.rules import Ruleset


@dataclass(frozen=True)
class _Opened:
    live: LiveContext
    tabs: TabSet


class Session:
    """``rules`` gives those in force for the session, whenever it is called."""

    def __init__(
        self, session_id: str, engine: Engine, request: ContextRequest, rules: Callable[[], Ruleset], *, tell: Tell
    ) -> None:
        self.id = session_id
        self._tell = tell
        self._engine = engine
        self._request = request
        self._rules = rules
        self._numbers = itertools.count(1)
        self._opened: _Opened | None = None
        self._opening = asyncio.Lock()
        # Tabs that went down with their browser and that nobody was told about yet.
        self._lost_tabs: frozenset[str] = frozenset()

    @property
    def engine(self) -> EngineName:
        return self._request.engine

    @property
    def domains(self) -> tuple[Pattern, ...] | None:
        """The only ones that it may use; None for no such limit."""
        return self._request.domains

    async def ready(self) -> None:
        """Before each use: in the user's own browser, tabs may be there that the session did not open."""
        if self._request.engine == "own":
            (await self._ensure_open()).live.check()

    def tabs(self) -> list[Tab]:
        return list(self._opened.tabs) if self._opened else []

    @property
    def current_tab_id(self) -> str | None:
        return self._opened.tabs.current_id if self._opened else None

    def tab(self, tab_id: str | None) -> Tab:
        """The named tab, or the current one."""
        wanted = tab_id or self.current_tab_id
        tab = self._opened.tabs.get(wanted) if self._opened and wanted else None
        if tab is not None and tab.open:
            return tab
        lost, self._lost_tabs = self._lost_tabs, frozenset()
        if (tab is not None and tab.crashed) or wanted in lost or (wanted is None and lost):
            raise BrowserCrashed(
                "The browser or the page in it ended unexpectedly; what was open is gone.",
                suggestions=["Open the page again with browser_navigate: a new browser is started."],
            )
        if tab_id is None:
            raise NoTab("No tab is open.", suggestions=["Open one: browser_navigate with a url."])
        known = ", ".join(tab.id for tab in self.tabs()) or "none"
        raise NoTab(f"There is no tab {tab_id!r}.", suggestions=[f"Open tabs: {known}."])

    async def went_down(self, tab: Tab) -> bool:
        """Whether a tab that is gone went down with its browser. Asking counts as having been told."""
        if self._opened is not None:
            await self._opened.live.settle()
        lost = tab.crashed or tab.id in self._lost_tabs
        self._lost_tabs -= {tab.id}
        return lost

    async def tab_or_new(self, tab_id: str | None) -> Tab:
        """The named or current tab; when none was named and none is open, a new one."""
        if tab_id is not None:
            return self.tab(tab_id)
        current = self._opened.tabs.get(self._opened.tabs.current_id or "") if self._opened else None
        return current if current is not None and current.open else await self.open_tab()

    async def open_tab(self) -> Tab:
        self._lost_tabs = frozenset()
        return await (await self._ensure_open()).tabs.open()

    @asynccontextmanager
    async def background_tab(self) -> AsyncGenerator[Tab]:
        """A tab that nobody sees but whoever knows its id; closed at the end."""
        tabs = (await self._ensure_open()).tabs
        tab = await tabs.open_hidden()
        try:
            yield tab
        finally:
            with suppress(PilotError):
                await tabs.close(tab)

    def let_open(self, site: Site) -> None:
        """The agent was allowed to go to this site; called when the tab to go in is there."""
        if self._opened is not None:
            self._opened.live.let_open(site)

    async def keep_out_of_urls(self, values: Iterable[str]) -> None:
        """These values are about to be typed as secrets: no address may carry them from now on."""
        await (await self._ensure_open()).live.keep_out_of_urls(values)

    def select(self, tab_id: str) -> Tab:
        tab = self.tab(tab_id)
        if self._opened is not None:
            self._opened.tabs.select(tab)
        return tab

    async def close_tab(self, tab_id: str | None) -> Tab:
        tab = self.tab(tab_id)
        if self._opened is not None:
            await self._opened.tabs.close(tab)
        return tab

    async def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            for tab in () if opened.live.exclusive else opened.tabs:
                await opened.tabs.close(tab)
            await opened.live.close()

    async def _ensure_open(self) -> _Opened:
        async with self._opening:
            if self._opened is None or not self._opened.live.alive:
                live = await self._engine.open(self._request, self._rules)
                tabs = TabSet(
                    live.context,
                    self._numbers,
                    tell=self._tell,
                    troubles=live.trouble,
                    exclusive=live.exclusive,
                    blank_page=live.take_blank_page,
                )
                self._opened = _Opened(live, tabs)
                live.on_lost(lambda: self._note_loss(live))
            return self._opened

    def _note_loss(self, live: LiveContext) -> None:
        if self._opened is not None and live is self._opened.live:
            self._lost_tabs = self._opened.tabs.lost_with_browser()
            self._opened = None
