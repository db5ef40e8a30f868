"""What was dropped of a page's events because there were too many of them, and whether its scripts were stopped.

The limits are enforced where the events enter (``engines/driver_preload``, the extension). This counts what is reported
from there.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

from playwright.async_api import CDPSession

from browser_pilot.upstream_errors import DROPPED_EVENT

STOPPED_NOTICE = (
    "The page flooded the browser with events, so its scripts were stopped. They run again after a reload or on "
    "another page: browser_navigate."
)


class DroppedEvents:
    """Lives as long as its tab."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._unreported_popups = 0
        self._unreported_downloads = 0
        self._unreported_stop = False
        # Whether the page flooded the browser before it crashed.
        self.was_stopped = False

    def listen(self, session: CDPSession) -> None:
        session.on(DROPPED_EVENT, self.record)

    @property
    def console(self) -> int:
        return self._counts["console"]

    @property
    def network(self) -> int:
        """Requests, WebSockets and their messages."""
        return self._counts["network"] + self._counts["websocket"]

    def record(self, event: dict[str, Any]) -> None:
        dropped = cast("dict[str, int]", event["dropped"])
        self._counts.update(dropped)
        self._unreported_popups += dropped.get("popup", 0)
        if event["stopped"]:
            self.was_stopped = self._unreported_stop = True

    def record_download(self) -> None:
        """A download was cancelled because there were too many."""
        self._unreported_downloads += 1

    def take_notices(self) -> tuple[str, ...]:
        """What the agent must know; each is returned once. The other counts are in the console and network logs."""
        notices = [STOPPED_NOTICE] if self._unreported_stop else []
        if self._unreported_popups:
            notices.append(f"The page opened too many popups: {self._unreported_popups} were closed.")
        if self._unreported_downloads:
            notices.append(f"The page started too many downloads: {self._unreported_downloads} were cancelled.")
        self._unreported_stop = False
        self._unreported_popups = self._unreported_downloads = 0
        return tuple(notices)
