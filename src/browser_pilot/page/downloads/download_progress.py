"""Progress of the browser's own downloads. Chromium reports no broken connection: the progress only stalls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from playwright.async_api import CDPSession

from .download_errors import stalled

T = TypeVar("T")
STALL_TIMEOUT_SECONDS = 30.0
_POLL_SECONDS = 0.5
_MAX_DOWNLOADS = 100


class DownloadProgress:
    """One per page: by URL, the number of bytes received, and when the last ones were."""

    def __init__(self) -> None:
        self._urls: dict[str, str] = {}
        self._received: dict[str, tuple[int, float]] = {}

    def listen(self, session: CDPSession) -> None:
        """``Page`` must be enabled in the CDP session."""
        session.on("Page.downloadWillBegin", self._on_begin)
        session.on("Page.downloadProgress", self._on_progress)

    def received(self, url: str) -> int:
        return self._received.get(url, (0, 0.0))[0]

    async def wait_for(self, work: Awaitable[T], url: str, on_progress: Callable[[int], None] = lambda _: None) -> T:
        """The result of ``work``; raises when the download stalls. ``on_progress`` gets the bytes received."""
        task, began = asyncio.ensure_future(work), time.monotonic()
        try:
            while True:
                done, _ = await asyncio.wait({task}, timeout=_POLL_SECONDS)
                if done:
                    return task.result()
                received, at = self._received.get(url, (0, began))
                on_progress(received)
                if time.monotonic() - max(at, began) > STALL_TIMEOUT_SECONDS:
                    raise stalled(STALL_TIMEOUT_SECONDS)
        finally:
            task.cancel()

    def _on_begin(self, event: dict[str, Any]) -> None:
        if len(self._urls) >= _MAX_DOWNLOADS:
            self._received.pop(self._urls.pop(next(iter(self._urls))), None)
        self._urls[str(event["guid"])] = str(event["url"])
        self._received[str(event["url"])] = (0, time.monotonic())

    def _on_progress(self, event: dict[str, Any]) -> None:
        url = self._urls.get(str(event["guid"]))
        if url is not None and int(event["receivedBytes"]) > self.received(url):
            self._received[url] = (int(event["receivedBytes"]), time.monotonic())
