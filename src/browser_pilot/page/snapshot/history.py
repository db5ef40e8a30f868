"""What a client has seen of a tab, and what it is told next: the whole page, or what changed since.

A tab belongs to one session of one client, so one remembered view per tab is enough. It is the last view that was
told, whole or as changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from browser_pilot.pages.activity import Activity
from browser_pilot.pages.changes import Changes, compare
from browser_pilot.pages.snapshot import take_view
from browser_pilot.pages.view import View
from browser_pilot.pages.world import World


@dataclass(frozen=True, slots=True)
class News:
    """The page as it is now. ``changes`` is None when there was no view of this document to compare with."""

    view: View
    changes: Changes | None
    first_look: bool


class Sight:
    def __init__(self, world: World, activity: Activity) -> None:
        self._world = world
        self._activity = activity
        self._seen: View | None = None
        self._seen_document = 0

    @property
    def knows_page(self) -> bool:
        """Whether the client has seen the document that the tab shows, so that changes mean something to it."""
        return self._seen is not None and self._seen_document == self._activity.documents

    async def whole(self, *, timeout_ms: int) -> View:
        """The page as it is now; from here on the client knows it."""
        self._seen_document = self._activity.documents
        self._seen = await take_view(self._world, timeout_ms=timeout_ms)
        return self._seen

    async def news(self, *, timeout_ms: int) -> News:
        """What is different from what the client knows."""
        before = self._seen
        view = await self.whole(timeout_ms=timeout_ms)
        return News(view, compare(before, view), before is None)
