"""A download that the browser makes, set off by a page, by a click or by us: where it comes from, and its bytes.

Until someone takes them they are in a folder of the browser's own. ``open`` reads them once all have come; ``drop``
ends it and removes what there is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from playwright.async_api import Download
from playwright.async_api import Error as PlaywrightError

from browser_pilot.bridge.downloads import no_longer_held
from browser_pilot.pages.download_errors import broken
from browser_pilot.pages.download_watch import DownloadWatch
from browser_pilot.pages.resource import Resource
from browser_pilot.pages.stream import PIECE_BYTES, Head

_FOUND_SECONDS = 5.0


class Caught:
    def __init__(self, download: Download, page_url: str, watch: DownloadWatch) -> None:
        self._download = download
        self._watch = watch
        self.page_url = page_url

    @property
    def url(self) -> str:
        return self._download.url

    @property
    def filename(self) -> str:
        return self._download.suggested_filename

    def resource(self) -> Resource:
        return Resource(None, url=self.url, name=self.filename, page_url=self.page_url)

    async def file(self, moved: Callable[[int], None] = lambda _: None) -> Path:
        """Where it is, when all of it has come; in the user's own browser that is where the user's downloads go."""
        try:
            path = Path(await self._watch.until(self._download.path(), self.url, moved))
        except PlaywrightError as error:
            if self.url[:5] == "blob:":
                raise no_longer_held() from error
            reason = await self._download.failure()
            raise broken(reason or "the browser gave it up") from error
        return await asyncio.to_thread(path.resolve)

    async def open(self, moved: Callable[[int], None] = lambda _: None) -> FileStream:
        """Its bytes, when all of them have come; until then ``moved`` is told how many have."""
        path = await self.file(moved)
        return FileStream(await asyncio.to_thread(path.open, "rb"), Head(self.url, "", self.filename))

    async def discard(self) -> None:
        """End it and remove the file, also where the browser has put it among the user's downloads."""
        with suppress(PlaywrightError):
            await self._download.cancel()
        # All of it may have come in that moment; then there is nothing to cancel, and the browser says where it is.
        with suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_FOUND_SECONDS):
                path = await self._download.path()
            _remove(Path(path))
        await self.drop()

    async def drop(self) -> None:
        with suppress(PlaywrightError):
            await self._download.cancel()
        with suppress(PlaywrightError):
            await self._download.delete()


def _remove(path: Path) -> None:
    """At once, so that it is done however often the task is cancelled."""
    path.resolve().unlink(missing_ok=True)


class FileStream:
    comes_whole = False

    def __init__(self, file: BinaryIO, head: Head) -> None:
        self.head = head
        self._file = file

    async def read(self) -> bytes:
        return await asyncio.to_thread(self._file.read, PIECE_BYTES)

    async def close(self) -> None:
        self._file.close()


class CaughtStream:
    """A download as a stream whose head is known before its bytes have come; closing it drops it."""

    comes_whole = True

    def __init__(self, caught: Caught, head: Head, moved: Callable[[int], None]) -> None:
        self.head = head
        self._caught = caught
        self._moved = moved
        self._file: FileStream | None = None

    async def read(self) -> bytes:
        if self._file is None:
            self._file = await self._caught.open(self._moved)
        return await self._file.read()

    async def close(self) -> None:
        if self._file is not None:
            await self._file.close()
        await self._caught.drop()
