"""Which tabs of a session were lost or reloaded without its client knowing. One per session.

A client learns of a reload in one of three ways: the error of the call that was running, the error of its next effect
(``require_acknowledged``), or a notice beside its next read (``take_notices``). Each loss is reported once.
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
        self._unreported: dict[str, str] = {}
        # Reported by the error of a running call before the loss itself was recorded.
        self._already_reported: set[str] = set()
        # The URL that each tab was last reloaded at: if the page crashes there again, the tab stays blank.
        self._reloaded_at: dict[str, str] = {}

    def record_lost(self, tabs: Iterable[SavedTab], reason: str) -> None:
        for tab in tabs:
            if tab.id in self._already_reported:
                self._already_reported.discard(tab.id)
            else:
                self._unreported[tab.id] = reason

    def mark_reported(self, tab_id: str) -> None:
        """The client has learned of the loss, which may be recorded later."""
        if self._unreported.pop(tab_id, None) is None:
            self._already_reported.add(tab_id)

    def clear_crash_history(self, tab_id: str) -> None:
        """The page works: its next crash is unrelated to the last."""
        self._reloaded_at.pop(tab_id, None)

    def take_unreported(self) -> frozenset[str]:
        """Return the unreported lost tabs and mark them reported."""
        lost, self._unreported = frozenset(self._unreported), {}
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
        reason = self._unreported.pop(tab.id, None)
        if reason is not None:
            raise BrowserCrashed(
                f"Nothing was done: {reason}, and tab {tab.id} was loaded again at {tab.page.url}. "
                "Unsaved input and open dialogs there are lost.",
                suggestions=["Take a browser_snapshot, then call again."],
                metadata={"tab": tab.id},
            )

    def take_notices(self) -> list[str]:
        """One sentence for each unreported reload; they count as reported afterwards."""
        unreported, self._unreported = self._unreported, {}
        return [
            f"Tab {tab_id} was loaded again, because {reason}: unsaved input and open dialogs there are lost."
            for tab_id, reason in unreported.items()
        ]


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
