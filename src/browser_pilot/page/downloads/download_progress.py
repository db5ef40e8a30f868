"""How far the browser's own downloads are. A connection that breaks is not told of: they only stop to move."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from playwright.async_api import CDPSession

from browser_pilot.pages.download_errors import stalled

T = TypeVar("T")
STALLS_SECONDS = 30.0
_LOOK_SECONDS = 0.5
_KEPT = 100


class DownloadWatch:
    """One for each page: by address, how much has come, and when the last of it did."""

    def __init__(self) -> None:
        self._urls: dict[str, str] = {}
        self._received: dict[str, tuple[int, float]] = {}

    def listen(self, session: CDPSession) -> None:
        """The session must have ``Page`` enabled."""
        session.on("Page.downloadWillBegin", self._begins)
        session.on("Page.downloadProgress", self._moves)

    def received(self, url: str) -> int:
        return self._received.get(url, (0, 0.0))[0]

    async def until(self, work: Awaitable[T], url: str, moved: Callable[[int], None] = lambda _: None) -> T:
        """The result of ``work``, for as long as the download moves; ``moved`` is told how much has come."""
        task, began = asyncio.ensure_future(work), time.monotonic()
        try:
            while True:
                done, _ = await asyncio.wait({task}, timeout=_LOOK_SECONDS)
                if done:
                    return task.result()
                received, at = self._received.get(url, (0, began))
                moved(received)
                if time.monotonic() - max(at, began) > STALLS_SECONDS:
                    raise stalled(STALLS_SECONDS)
        finally:
            task.cancel()

    def _begins(self, event: dict[str, Any]) -> None:
        if len(self._urls) >= _KEPT:
            self._received.pop(self._urls.pop(next(iter(self._urls))), None)
        self._urls[str(event["guid"])] = str(event["url"])
        self._received[str(event["url"])] = (0, time.monotonic())

    def _moves(self, event: dict[str, Any]) -> None:
        url = self._urls.get(str(event["guid"]))
        if url is not None and int(event["receivedBytes"]) > self.received(url):
            self._received[url] = (int(event["receivedBytes"]), time.monotonic())
