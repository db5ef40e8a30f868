"""Saves files in the user's Chrome: the browser writes them to the user's download folder.

The page fetches first; the result stays in the browser as a blob, which the browser saves under our file name. Large
files, and those that the page may not read, are fetched by the browser (``browser_fetch``). The bytes do not pass
through the hub, which only reads the finished file. On any failure the file is removed from the user's folder.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from browser_pilot.errors import DownloadBroken, PilotError, Timeout
from browser_pilot.files.file_saver import FileSaver
from browser_pilot.files.file_types import MAGIC_BYTES, UNKNOWN_EXTENSION
from browser_pilot.files.file_writer import SavedFile, rename_to_free_name, too_large_error
from browser_pilot.files.filenames import filename_candidates
from browser_pilot.page.isolated_world import CallInterrupted, FrameGone
from browser_pilot.page.tab import Tab

from .browser_download import BrowserDownload
from .browser_fetch import BrowserFetchStream, fetch_by_browser
from .download_errors import broken, unreadable
from .download_progress import STALL_TIMEOUT_SECONDS
from .downloadable import PIECE_BYTES, Downloadable, FileHead
from .page_fetch import RESPONSE_TIMEOUT_SECONDS, PageFetchFailed, PageStream, fetch_in_page
from .transfers import (
    LARGE_BYTES,
    ExecutableFile,
    SaveOptions,
    Transfer,
    classify,
    progress_callback,
    save_names,
)

_POLL_MS = 500


async def save_in_user_chrome(
    transfer: Transfer, tab: Tab, resource: Downloadable, options: SaveOptions, saver: FileSaver
) -> SavedFile:
    try:
        stream = await fetch_in_page(tab, resource, RESPONSE_TIMEOUT_SECONDS)
    except PageFetchFailed as error:
        if resource.is_remote:
            return await _fetch_by_browser(transfer, tab, resource, options, saver)
        if resource.url[:5] != "blob:" or resource.frame is None:
            raise unreadable(resource.url, str(error)) from None
        return await _save_blob(transfer, FileHead(resource.url, "", resource.name), resource.url, b"", options, saver)
    try:
        length = _check_size(stream.head, options).length or 0
        if resource.is_remote and length >= LARGE_BYTES:
            # A blob is in the browser's memory; what the browser fetches is written to disk as it arrives.
            faster = await _fetch_same_by_browser(transfer, tab, resource, options, length)
            if faster is not None:
                await stream.close()
                return await _keep_fetched(transfer, faster, options, saver)
        blob_url, beginning = await _collect_blob(transfer, tab, stream, options)
        return await _save_blob(transfer, stream.head, blob_url, beginning, options, saver)
    finally:
        await stream.close()


def _check_size(head: FileHead, options: SaveOptions) -> FileHead:
    if head.length is not None and head.length > options.max_bytes:
        raise too_large_error(options.max_bytes)
    return head


async def keep_browser_download(
    transfer: Transfer, download: BrowserDownload, head: FileHead, options: SaveOptions, saver: FileSaver
) -> SavedFile:
    """Leave a browser download in the user's folder, if it is complete and allowed; else remove it."""
    try:
        saved = await _verified(
            transfer, await download.wait_for_file(progress_callback(transfer, options)), head, options
        )
    except BaseException as error:
        await download.delete_with_file()
        if isinstance(error, DownloadBroken):
            raise saver.failure_of(download.url) or error from error
        raise
    await download.delete()
    return saved


async def _verified(transfer: Transfer, path: Path, head: FileHead, options: SaveOptions) -> SavedFile:
    try:
        saved, beginning = await asyncio.to_thread(_read_file, path)
        transfer.received = saved.size
        classify(transfer, head, beginning, options)
        if saved.size > options.max_bytes:
            raise too_large_error(options.max_bytes)
        if head.length is not None and saved.size != head.length:
            raise broken(f"it was cut off after {saved.size:,} of {head.length:,} bytes")
    except BaseException:
        _remove(path)
        raise
    return saved


def _remove(path: Path) -> None:
    """Synchronous, so that a cancellation of the task cannot prevent it."""
    path.unlink(missing_ok=True)


def _rename_by_content(transfer: Transfer, saved: SavedFile) -> SavedFile:
    """Give a file that was named before its type was known the extension of its type.

    Synchronous for the same reason.
    """
    kind = transfer.kind
    if kind is None or kind.extension == UNKNOWN_EXTENSION or saved.path.suffix != f".{UNKNOWN_EXTENSION}":
        return saved
    names = filename_candidates(f"{saved.path.stem}.{kind.extension}")
    try:
        return replace(saved, path=rename_to_free_name(saved.path, names))
    except OSError:
        return saved


async def _fetch_same_by_browser(
    transfer: Transfer, tab: Tab, resource: Downloadable, options: SaveOptions, length: int
) -> BrowserFetchStream | None:
    """Fetch by the browser, if it gets the same file as the page."""
    try:
        stream = await _start_browser_fetch(transfer, tab, resource, options)
    except ExecutableFile:
        raise
    except PilotError:
        return None  # the page can fetch it
    if stream.head.length == length:
        return stream
    await stream.close()
    return None


async def _fetch_by_browser(
    transfer: Transfer, tab: Tab, resource: Downloadable, options: SaveOptions, saver: FileSaver
) -> SavedFile:
    return await _keep_fetched(transfer, await _start_browser_fetch(transfer, tab, resource, options), options, saver)


async def _start_browser_fetch(
    transfer: Transfer, tab: Tab, resource: Downloadable, options: SaveOptions
) -> BrowserFetchStream:
    def choose_name(head: FileHead) -> str:
        return next(save_names(options, classify(transfer, _check_size(head, options), b"", options).extension))

    on_progress = progress_callback(transfer, options)
    return await fetch_by_browser(
        tab, resource, timeout_seconds=RESPONSE_TIMEOUT_SECONDS, on_progress=on_progress, choose_name=choose_name
    )


async def _keep_fetched(
    transfer: Transfer, stream: BrowserFetchStream, options: SaveOptions, saver: FileSaver
) -> SavedFile:
    try:
        saved = await keep_browser_download(transfer, stream.download, stream.head, options, saver)
        return _rename_by_content(transfer, saved)
    finally:
        await stream.close()


async def _collect_blob(transfer: Transfer, tab: Tab, stream: PageStream, options: SaveOptions) -> tuple[str, bytes]:
    """Let the page collect the file in a blob; returns its URL and its first bytes."""
    head = stream.head
    transfer.total = head.length
    on_progress, received, at = progress_callback(transfer, options), -1, asyncio.get_running_loop().time()
    while True:
        timeout_ms = int(STALL_TIMEOUT_SECONDS * 1000)
        collecting = tab.world.call(
            stream.frame, "collectBlob", stream.number, _POLL_MS, repeatable=True, timeout_ms=timeout_ms
        )
        try:
            reply = cast("dict[str, Any]", await collecting)
        except (CallInterrupted, FrameGone, Timeout) as error:
            raise broken("the page was closed or navigated during the fetch") from error
        if "error" in reply:
            raise broken(str(reply["error"]))
        on_progress(int(reply["received"]))
        if "url" in reply:
            break
        if reply["beginning"] is not None and not transfer.began.is_set():
            classify(transfer, head, base64.b64decode(reply["beginning"]), options)
        now = asyncio.get_running_loop().time()
        if int(reply["received"]) > received:
            received, at = int(reply["received"]), now
        elif now - at > STALL_TIMEOUT_SECONDS:
            raise broken(f"no data for {STALL_TIMEOUT_SECONDS:.0f} s")
    return str(reply["url"]), base64.b64decode(reply["beginning"])


async def _save_blob(
    transfer: Transfer, head: FileHead, blob_url: str, beginning: bytes, options: SaveOptions, saver: FileSaver
) -> SavedFile:
    """Let the browser save a blob of the page."""
    name = next(save_names(options, classify(transfer, head, beginning, options).extension))
    path = await saver.save_blob(blob_url, name, progress_callback(transfer, options))
    return _rename_by_content(transfer, await _verified(transfer, path, head, options))


def _read_file(path: Path) -> tuple[SavedFile, bytes]:
    digest, size, beginning = hashlib.sha256(), 0, b""
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            beginning = beginning or piece[:MAGIC_BYTES]
            digest.update(piece)
            size += len(piece)
    with suppress(OSError):
        path.chmod(path.stat().st_mode & ~0o111)
    return SavedFile(path, size, digest.hexdigest()), beginning
