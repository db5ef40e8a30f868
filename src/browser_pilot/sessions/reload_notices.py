"""Which tabs of a session were lost or reloaded without its client knowing. One per session.

A client learns of a reload in one of these ways: the error of the call that was running, the error of the next effect
in that tab (``require_acknowledged``), a notice beside the next read of that tab (``acknowledge``), or a notice beside
another result of the session (``take_notices``). After the latter, an effect in the tab is still refused: several
agents may share a client, and another one may have got the notice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

from browser_pilot.errors import BrowserCrashed, PilotError
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.navigate import open_address
from browser_pilot.page.tab import Tab
from browser_pilot.page.tab_set import SavedTab
from browser_pilot.policy.hosts import Site, page_site

RELOAD_TIMEOUT_MS = 10_000
# For a page whose renderer died before Playwright knew it: no command to it is ever answered.
UNRESPONSIVE_SECONDS = RELOAD_TIMEOUT_MS / 1000 + 2
BLANK = "about:blank"


class ReloadNotices:
    """Lives as long as its session."""

    def __init__(self) -> None:
        # Why each tab was reloaded: until any result of the session said so, and until the tab's own page was seen.
        self._untold: dict[str, str] = {}
        self._unseen: dict[str, str] = {}
        # Reported by the error of a running call before the loss itself was recorded.
        self._already_reported: set[str] = set()
        # The URL that each tab was last reloaded at: if the page crashes there again, the tab stays blank.
        self._reloaded_at: dict[str, str] = {}

    def record_lost(self, tabs: Iterable[SavedTab], reason: str) -> None:
        for tab in tabs:
            if tab.id in self._already_reported:
                self._already_reported.discard(tab.id)
            else:
                self._untold[tab.id] = self._unseen[tab.id] = reason

    def mark_reported(self, tab_id: str) -> None:
        """The client has learned of the loss, which may be recorded later."""
        if self._forget(tab_id) is None:
            self._already_reported.add(tab_id)

    def clear_crash_history(self, tab_id: str) -> None:
        """The page works: its next crash is unrelated to the last."""
        self._reloaded_at.pop(tab_id, None)

    def take_unreported(self) -> frozenset[str]:
        """Return the unreported lost tabs and mark them reported."""
        lost, self._unseen = frozenset(self._unseen), {}
        self._untold = {}
        return lost

    def reload_url(self, tab: SavedTab) -> str:
        """Where to reload a tab; blank for what is no web page, and after a second crash at the same URL."""
        site = page_site(tab.url)
        if site is None or not site.host or self._reloaded_at.get(tab.id) == tab.url:
            self._reloaded_at.pop(tab.id, None)
            return BLANK
        self._reloaded_at[tab.id] = tab.url
        return tab.url

    def require_acknowledged(self, tab: Tab) -> None:
        """Raise if the tab was reloaded and its client does not know; this error reports it."""
        reason = self._forget(tab.id)
        if reason is not None:
            raise BrowserCrashed(
                f"Nothing was done: {reason}, and tab {tab.id} was loaded again at {tab.page.url}. "
                "Unsaved input and open dialogs there are lost.",
                suggestions=["Take a browser_snapshot, then call again."],
                metadata={"tab": tab.id},
            )

    def take_notices(self) -> list[str]:
        """One sentence for each reload that no result has reported. The tabs themselves are still to be seen."""
        untold, self._untold = self._untold, {}
        return [_sentence(tab_id, reason) for tab_id, reason in untold.items()]

    def acknowledge(self, tab_id: str) -> list[str]:
        """The client sees the tab: the sentence about its reload, if it has not seen it since."""
        reason = self._forget(tab_id)
        return [] if reason is None else [_sentence(tab_id, reason)]

    def _forget(self, tab_id: str) -> str | None:
        self._untold.pop(tab_id, None)
        return self._unseen.pop(tab_id, None)


def _sentence(tab_id: str, reason: str) -> str:
    return f"Tab {tab_id} was loaded again, because {reason}: unsaved input and open dialogs there are lost."


async def reload_tab(tab: Tab, url: str, allow_navigation: Callable[[Site], None]) -> None:
    """Load ``url`` in a blank tab. A page that fails to load shows the failure itself; one that hangs has crashed."""
    site = page_site(url)
    if url == BLANK or site is None:
        return
    allow_navigation(site)
    try:
        async with asyncio.timeout(UNRESPONSIVE_SECONDS):
            with suppress(PilotError):
                await open_address(ActionContext(tab), url, timeout_ms=RELOAD_TIMEOUT_MS)
    except TimeoutError:
        tab.world.mark_crashed()
