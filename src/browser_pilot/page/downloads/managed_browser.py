"""Saves files from a managed browser: opens a stream, by the page or else by the browser, and writes it to disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from browser_pilot.errors import PilotError
from browser_pilot.files.file_types import MAGIC_BYTES
from browser_pilot.files.file_writer import PartialFile, SavedFile, too_large_error
from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import CallInterrupted, FrameGone
from browser_pilot.page.tab import Tab

from .browser_download import BrowserDownload, BrowserDownloadStream
from .browser_fetch import fetch_by_browser
from .download_errors import PageGone, broken, unreadable
from .downloadable import Downloadable, FileHead, FileStream
from .page_fetch import RESPONSE_TIMEOUT_SECONDS, PageFetchFailed, fetch_in_page
from .transfers import LARGE_BYTES, SaveOptions, Transfer, classify, save_names

DOWNLOAD_START_TIMEOUT_SECONDS = 10.0


def _ignore(_received: int) -> None:
    """No progress is reported."""


async def open_stream(
    tab: Tab,
    resource: Downloadable,
    *,
    timeout_seconds: float = RESPONSE_TIMEOUT_SECONDS,
    on_progress: Callable[[int], None] = _ignore,
) -> FileStream:
    """Begin to fetch. Raises the error of the server, the network or the policy.

    ``on_progress`` gets the number of bytes that the browser has received, until the stream can be read.
    """
    deadline = asyncio.get_running_loop().time() + timeout_seconds
    try:
        stream = await fetch_in_page(tab, resource, timeout_seconds)
    except PageFetchFailed as error:
        if resource.url[:5] == "blob:" and resource.frame is not None:
            return await _save_blob(tab, resource, resource.frame, str(error), on_progress)
        if not resource.is_remote:
            raise unreadable(resource.url, str(error)) from None
        return await _fetch_by_browser(tab, resource, deadline, on_progress)
    if not resource.is_remote or (stream.head.length or 0) < LARGE_BYTES:
        return stream
    try:
        # The browser is many times faster than pieces through the page; it is used if it gets the same file.
        faster = await _fetch_by_browser(tab, resource, deadline, on_progress)
    except PilotError:
        return stream
    used, unused = (faster, stream) if faster.head.length == stream.head.length else (stream, faster)
    await unused.close()
    return used


async def _fetch_by_browser(
    tab: Tab, resource: Downloadable, deadline: float, on_progress: Callable[[int], None]
) -> FileStream:
    left = deadline - asyncio.get_running_loop().time()
    return await fetch_by_browser(tab, resource, timeout_seconds=max(1.0, left), on_progress=on_progress)


async def _save_blob(
    tab: Tab, resource: Downloadable, frame: Frame, reason: str, on_progress: Callable[[int], None]
) -> BrowserDownloadStream:
    """A blob that the page holds in memory but may not fetch: the page lets the browser download it."""
    saving = tab.tracker.expect_download(resource.url)
    try:
        async with asyncio.timeout(DOWNLOAD_START_TIMEOUT_SECONDS):
            await tab.world.call(frame, "saveByLink", resource.url, "file")
            download = BrowserDownload(await saving, resource.page_url, tab.tracker.download_progress)
            return BrowserDownloadStream(
                download, FileHead(resource.url, "", resource.name or download.filename), on_progress
            )
    except (TimeoutError, CallInterrupted, FrameGone):
        saving.cancel()
        raise unreadable(resource.url, reason) from None


async def save_stream(
    transfer: Transfer,
    opening: Callable[[], Awaitable[FileStream]],
    options: SaveOptions,
    *,
    without_page: Callable[[], Awaitable[FileStream]] | None = None,
) -> SavedFile:
    """Write a stream to its file. If it fails or is cancelled, no part of the file stays.

    ``without_page`` opens it again, without the page, if that is closed or navigated meanwhile.
    """
    try:
        return await _save(transfer, opening, options)
    except PageGone:
        if without_page is None:
            raise
        return await _save(transfer, without_page, options)


async def _save(transfer: Transfer, opening: Callable[[], Awaitable[FileStream]], options: SaveOptions) -> SavedFile:
    stream = await opening()
    part = PartialFile(options.folder, max_bytes=options.max_bytes)
    try:
        head = stream.head
        if head.length is not None and head.length > options.max_bytes:
            raise too_large_error(options.max_bytes)
        if stream.arrives_at_once:
            classify(transfer, head, b"", options)
        piece = await _read_beginning(stream)
        kind = classify(transfer, head, piece, options)
        while piece:
            await _finish_write(asyncio.to_thread(part.write, piece))
            transfer.received = part.size
            piece = await stream.read()
        if head.length is not None and part.size != head.length:
            raise broken(f"it was cut off after {part.size:,} of {head.length:,} bytes")
        names = save_names(options, kind.extension)
        url = head.url if head.url[:4] == "http" else transfer.source
        source, referrer = options.redact(url), options.redact(transfer.page_url)
        return await _finish_rename(asyncio.to_thread(part.finish, names, source=source, referrer=referrer))
    finally:
        part.discard()
        await stream.close()


async def _read_beginning(stream: FileStream) -> bytes:
    """As many bytes as the file type needs."""
    piece = await stream.read()
    while piece and len(piece) < MAGIC_BYTES:
        more = await stream.read()
        if not more:
            break
        piece += more
    return piece


async def _finish_write(writing: Awaitable[None]) -> None:
    """A thread cannot be cancelled: wait for it, so that it does not write to a removed file."""
    task = asyncio.ensure_future(writing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def _finish_rename(finishing: Awaitable[SavedFile]) -> SavedFile:
    """The same; a file that was renamed after the cancellation is removed."""
    task = asyncio.ensure_future(finishing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if task.exception() is None:
            task.result().path.unlink(missing_ok=True)
        raise
