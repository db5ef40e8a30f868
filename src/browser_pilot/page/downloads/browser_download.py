"""A download by the browser, started by a page, a click or us: its origin and its bytes.

The file is in a temporary folder of the browser, or in the user's download folder. ``open`` reads it once it is
complete; ``delete`` cancels it and deletes the temporary file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from playwright.async_api import Download
from playwright.async_api import Error as PlaywrightError

from browser_pilot.files.file_saver import blob_gone
from browser_pilot.safe_text import sanitize

from .download_errors import broken
from .download_progress import DownloadProgress
from .downloadable import PIECE_BYTES, Downloadable, FileHead

_PATH_TIMEOUT_SECONDS = 5.0


class BrowserDownload:
    def __init__(self, download: Download, page_url: str, progress: DownloadProgress) -> None:
        self._download = download
        self._progress = progress
        self.page_url = page_url

    @property
    def url(self) -> str:
        return self._download.url

    @property
    def filename(self) -> str:
        return sanitize(self._download.suggested_filename)

    def downloadable(self) -> Downloadable:
        return Downloadable(None, url=self.url, name=self.filename, page_url=self.page_url)

    async def wait_for_file(self, on_progress: Callable[[int], None] = lambda _: None) -> Path:
        """Its path, once it is complete; in the user's Chrome that is in the user's download folder."""
        try:
            path = Path(await self._progress.wait_for(self._download.path(), self.url, on_progress))
        except PlaywrightError as error:
            if self.url[:5] == "blob:":
                raise blob_gone() from error
            reason = await self._download.failure()
            raise broken(reason or "the browser cancelled it") from error
        return await asyncio.to_thread(path.resolve)

    async def open(self, on_progress: Callable[[int], None] = lambda _: None) -> LocalFileStream:
        """Its bytes, once it is complete; until then ``on_progress`` gets the number of bytes received."""
        path = await self.wait_for_file(on_progress)
        return LocalFileStream(await asyncio.to_thread(path.open, "rb"), FileHead(self.url, "", self.filename))

    async def delete_with_file(self) -> None:
        """Cancel it and remove the file, also from the user's download folder."""
        with suppress(PlaywrightError):
            await self._download.cancel()
        # It may have completed in the meantime: then there is nothing to cancel, and the browser has its path.
        with suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_PATH_TIMEOUT_SECONDS):
                path = await self._download.path()
            _remove(Path(path))
        await self.delete()

    async def delete(self) -> None:
        with suppress(PlaywrightError):
            await self._download.cancel()
        with suppress(PlaywrightError):
            await self._download.delete()


def _remove(path: Path) -> None:
    """Synchronous, so that a cancellation of the task cannot prevent it."""
    path.resolve().unlink(missing_ok=True)


class LocalFileStream:
    arrives_at_once = False

    def __init__(self, file: BinaryIO, head: FileHead) -> None:
        self.head = head
        self._file = file

    async def read(self) -> bytes:
        return await asyncio.to_thread(self._file.read, PIECE_BYTES)

    async def close(self) -> None:
        self._file.close()


class BrowserDownloadStream:
    """A download as a stream whose head is known before it is complete; closing it deletes the download."""

    arrives_at_once = True

    def __init__(self, download: BrowserDownload, head: FileHead, on_progress: Callable[[int], None]) -> None:
        self.head = head
        self._download = download
        self._on_progress = on_progress
        self._file: LocalFileStream | None = None

    async def read(self) -> bytes:
        if self._file is None:
            self._file = await self._download.open(self._on_progress)
        return await self._file.read()

    async def close(self) -> None:
        if self._file is not None:
            await self._file.close()
        await self._download.delete()
