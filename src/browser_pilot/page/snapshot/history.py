"""Keeps the last snapshot sent to the client, to return a diff or a full snapshot.

A tab belongs to one session of one client, so one snapshot per tab is enough. It lives as long as the tab. The rows
that a client was shown are kept for as long as their document, so that those which reappear are not sent again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from browser_pilot.page.actions.network_tracker import NetworkTracker
from browser_pilot.page.isolated_world import World

from .diff import SnapshotDiff, diff_or_none
from .rows import Row, Snapshot
from .snapshot import take_snapshot

MAX_SHOWN_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class SnapshotUpdate:
    """The page as it is now. ``diff`` is None when there is no snapshot of this document to compare with.

    ``relocated``: its URL or title is another one than in the last snapshot.
    """

    snapshot: Snapshot
    diff: SnapshotDiff | None
    is_first: bool
    relocated: bool


class SnapshotHistory:
    def __init__(self, world: World, tracker: NetworkTracker) -> None:
        self._world = world
        self._tracker = tracker
        self._last: Snapshot | None = None
        self._last_document = 0
        self._shown: dict[str, Row] = {}
        self._shown_document = ""

    @property
    def has_document(self) -> bool:
        """Whether the client has a snapshot of the current document, so that a diff makes sense."""
        return self._last is not None and self._last_document == self._tracker.documents

    def note_shown(self, document: str, rows: Iterable[Row]) -> None:
        """The client was sent these rows, whole."""
        if document != self._shown_document:
            self._shown_document, self._shown = document, {}
        for row in rows:
            self._shown.pop(row.ref, None)
            self._shown[row.ref] = row
        for ref in list(self._shown)[: max(0, len(self._shown) - MAX_SHOWN_ROWS)]:
            del self._shown[ref]

    def was_shown(self, row: Row) -> bool:
        """Whether the client has been sent a row as it is now."""
        return self._shown.get(row.ref) == row

    async def full(self, *, timeout_ms: int) -> Snapshot:
        """Take a snapshot, which is then the client's last one."""
        self._last_document = self._tracker.documents
        self._last = await take_snapshot(self._world, timeout_ms=timeout_ms)
        return self._last

    async def diff(self, *, timeout_ms: int) -> SnapshotUpdate:
        """Take a snapshot, with the diff to the client's last one."""
        before = self._last
        snapshot = await self.full(timeout_ms=timeout_ms)
        relocated = before is not None and (before.url, before.title) != (snapshot.url, snapshot.title)
        return SnapshotUpdate(snapshot, diff_or_none(before, snapshot), before is None, relocated)
