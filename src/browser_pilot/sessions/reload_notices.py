"""Tabs that were lost and loaded again: what their client has to be told before it goes on. One for each session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from ..errors import BrowserCrashed, PilotError
from ..pages.navigate import open_address
from ..pages.tab import Tab
from ..pages.tabs import KeptTab
from ..policy.hosts import Site, page_site

LOAD_MS = 10_000
BLANK = "about:blank"


class Reloads:
    """Its life is the session's."""

    def __init__(self) -> None:
        self._untold: dict[str, str] = {}
        # Told before it was known to be lost: by the error of the call that was under way.
        self._told: set[str] = set()
        # Where each was loaded again last: a page that crashes there once more is left empty.
        self._tried: dict[str, str] = {}

    def lost(self, tabs: Iterable[KeptTab], why: str) -> None:
        for tab in tabs:
            if tab.id in self._told:
                self._told.discard(tab.id)
            else:
                self._untold[tab.id] = why

    def told(self, tab_id: str) -> None:
        if self._untold.pop(tab_id, None) is None:
            self._told.add(tab_id)

    def worked(self, tab_id: str) -> None:
        """The page does: the next crash has nothing to do with the last."""
        self._tried.pop(tab_id, None)

    def take_lost(self) -> frozenset[str]:
        """Those that nobody was told about, who counts as told now."""
        lost, self._untold = frozenset(self._untold), {}
        return lost

    def address_for(self, kept: KeptTab) -> str:
        site = page_site(kept.url)
        if site is None or not site.host or self._tried.get(kept.id) == kept.url:
            self._tried.pop(kept.id, None)
            return BLANK
        self._tried[kept.id] = kept.url
        return kept.url

    def insist_told(self, tab: Tab) -> None:
        why = self._untold.pop(tab.id, None)
        if why is not None:
            raise BrowserCrashed(
                f"Nothing was done: {why}, and tab {tab.id} was loaded again at {tab.page.url}. "
                "What had been typed or opened there is gone.",
                suggestions=["Look at the page (browser_snapshot), then call again."],
                metadata={"tab": tab.id},
            )

    def take_notices(self) -> list[str]:
        untold, self._untold = self._untold, {}
        return [
            f"Tab {tab_id} was loaded again, because {why}: what had been typed or opened there is gone."
            for tab_id, why in untold.items()
        ]


async def load_again(tab: Tab, url: str, let_open: Callable[[Site], None]) -> None:
    """A page that cannot be loaded shows that itself."""
    site = page_site(url)
    if url == BLANK or site is None:
        return
    let_open(site)
    with suppress(PilotError, TimeoutError):
        await open_address(tab, url, timeout_ms=LOAD_MS)
