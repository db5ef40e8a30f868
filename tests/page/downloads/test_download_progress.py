"""Progress of the browser's downloads, from CDP events; a download that stalls fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from playwright.async_api import CDPSession

from browser_pilot.errors import DownloadFailed
from browser_pilot.page.downloads import download_progress
from browser_pilot.page.downloads.download_progress import DownloadProgress

URL = "https://example.com/file"


class FakeCdp:
    def __init__(self) -> None:
        self.listeners: dict[str, Callable[[dict[str, Any]], None]] = {}

    def on(self, event: str, listener: Callable[[dict[str, Any]], None]) -> None:
        self.listeners[event] = listener

    def begin(self) -> None:
        self.listeners["Page.downloadWillBegin"]({"guid": "g", "url": URL})

    def receive(self, count: int) -> None:
        self.listeners["Page.downloadProgress"]({"guid": "g", "receivedBytes": count})


def watched() -> tuple[DownloadProgress, FakeCdp]:
    progress, cdp = DownloadProgress(), FakeCdp()
    progress.listen(cast("CDPSession", cdp))
    return progress, cdp


def test_progress_is_stored_by_url() -> None:
    progress, cdp = watched()
    cdp.receive(5)
    assert progress.received(URL) == 0
    cdp.begin()
    cdp.receive(5)
    assert progress.received(URL) == 5


async def test_progress_is_reported_until_the_download_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download_progress, "_POLL_SECONDS", 0.01)
    progress, cdp = watched()
    cdp.begin()
    cdp.receive(5)
    done = asyncio.get_running_loop().create_future()

    def on_progress(received: int) -> None:
        assert received == 5
        if not done.done():
            done.set_result("path")

    assert await progress.wait_for(done, URL, on_progress) == "path"


async def test_a_stalled_download_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download_progress, "_POLL_SECONDS", 0.01)
    monkeypatch.setattr(download_progress, "STALL_TIMEOUT_SECONDS", 0.05)
    progress, cdp = watched()
    cdp.begin()
    with pytest.raises(DownloadFailed):
        await progress.wait_for(asyncio.get_running_loop().create_future(), URL)
