"""Saving in the user's own browser: the file goes where the user's downloads go, and the browser writes it.

First the page fetches, as everywhere; what it got stays in the browser, which saves it under the name that we give it.
What is large, and what the page cannot have, the browser fetches (``browser_stream``). No byte of it passes through us,
except to look at the whole when it is there. Whatever goes wrong, the file is removed from the user's folder again.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from browser_pilot.engines.engine import Saver
from browser_pilot.errors import DownloadBroken, PilotError, Timeout
from browser_pilot.files.kinds import MAGIC_BYTES, UNKNOWN
from browser_pilot.files.names import candidates
from browser_pilot.files.store import SavedFile, rename_whole, too_large
from browser_pilot.pages.browser_stream import BrowserStream, open_by_browser
from browser_pilot.pages.caught import Caught
from browser_pilot.pages.download_errors import broken, unreadable
from browser_pilot.pages.download_watch import STALLS_SECONDS
from browser_pilot.pages.resource import Resource
from browser_pilot.pages.stream import PIECE_BYTES, Head
from browser_pilot.pages.streams import BEGINS_SECONDS, LARGE_BYTES, NotInPage, PageStream, open_in_page
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.transfers import FileCanRun, Transfer, Wish, judge, names_for, watcher
from browser_pilot.pages.world import CutOff, FrameGone

_LOOK_MS = 500


async def save_in_place(transfer: Transfer, tab: Tab, resource: Resource, wish: Wish, saver: Saver) -> SavedFile:
    try:
        stream = await open_in_page(tab, resource, BEGINS_SECONDS)
    except NotInPage as error:
        if resource.is_remote:
            return await _by_browser(transfer, tab, resource, wish, saver)
        if resource.url[:5] != "blob:" or resource.frame is None:
            raise unreadable(resource.url, str(error)) from None
        return await _held(transfer, Head(resource.url, "", resource.name), resource.url, b"", wish, saver)
    try:
        length = _fitting(stream.head, wish).length or 0
        if resource.is_remote and length >= LARGE_BYTES:
            # What a page gathers is in the browser's memory; what the browser fetches goes to the disk as it comes.
            faster = await _same_by_browser(transfer, tab, resource, wish, length)
            if faster is not None:
                await stream.close()
                return await _from_browser(transfer, faster, wish, saver)
        held, beginning = await _gathered(transfer, tab, stream, wish)
        return await _held(transfer, stream.head, held, beginning, wish, saver)
    finally:
        await stream.close()


def _fitting(head: Head, wish: Wish) -> Head:
    if head.length is not None and head.length > wish.most_bytes:
        raise too_large(wish.most_bytes)
    return head


async def keep_in_place(transfer: Transfer, caught: Caught, head: Head, wish: Wish, saver: Saver) -> SavedFile:
    """Leave what the browser saves where it is, once it is whole and may be kept; else remove it."""
    try:
        saved = await _kept(transfer, await caught.file(watcher(transfer, wish)), head, wish)
    except BaseException as error:
        await caught.discard()
        if isinstance(error, DownloadBroken):
            raise saver.why_ended(caught.url) or error from error
        raise
    await caught.drop()
    return saved


async def _kept(transfer: Transfer, path: Path, head: Head, wish: Wish) -> SavedFile:
    try:
        saved, beginning = await asyncio.to_thread(_looked_at, path)
        transfer.received = saved.size
        judge(transfer, head, beginning, wish)
        if saved.size > wish.most_bytes:
            raise too_large(wish.most_bytes)
        if head.length is not None and saved.size != head.length:
            raise broken(f"it was cut off after {saved.size:,} of {head.length:,} bytes")
    except BaseException:
        _remove(path)
        raise
    return saved


def _remove(path: Path) -> None:
    """At once, so that it is done however often the task is cancelled."""
    path.unlink(missing_ok=True)


def _named_by_content(transfer: Transfer, saved: SavedFile) -> SavedFile:
    """A file that we named before anyone knew what it is gets the extension of what it turned out to be.

    At once, like removing: cancelled meanwhile, it would stay under the one name or the other.
    """
    kind = transfer.kind
    if kind is None or kind.extension == UNKNOWN or saved.path.suffix != f".{UNKNOWN}":
        return saved
    names = candidates(f"{saved.path.stem}.{kind.extension}")
    try:
        return replace(saved, path=rename_whole(saved.path, names))
    except OSError:
        return saved


async def _same_by_browser(
    transfer: Transfer, tab: Tab, resource: Resource, wish: Wish, length: int
) -> BrowserStream | None:
    """What the page gets, if the browser gets the same."""
    try:
        stream = await _open_by_browser(transfer, tab, resource, wish)
    except FileCanRun:
        raise
    except PilotError:
        return None  # the page has it all the same
    if stream.head.length == length:
        return stream
    await stream.close()
    return None


async def _by_browser(transfer: Transfer, tab: Tab, resource: Resource, wish: Wish, saver: Saver) -> SavedFile:
    return await _from_browser(transfer, await _open_by_browser(transfer, tab, resource, wish), wish, saver)


async def _open_by_browser(transfer: Transfer, tab: Tab, resource: Resource, wish: Wish) -> BrowserStream:
    def named(head: Head) -> str:
        return next(names_for(wish, judge(transfer, _fitting(head, wish), b"", wish).extension))

    moved = watcher(transfer, wish)
    return await open_by_browser(tab, resource, begins_seconds=BEGINS_SECONDS, moved=moved, named=named)


async def _from_browser(transfer: Transfer, stream: BrowserStream, wish: Wish, saver: Saver) -> SavedFile:
    try:
        saved = await keep_in_place(transfer, stream.caught, stream.head, wish, saver)
        return _named_by_content(transfer, saved)
    finally:
        await stream.close()


async def _gathered(transfer: Transfer, tab: Tab, stream: PageStream, wish: Wish) -> tuple[str, bytes]:
    """Let the page gather the whole; its address there, and how it begins."""
    head = stream.head
    transfer.total = head.length
    moved, received, at = watcher(transfer, wish), -1, asyncio.get_running_loop().time()
    while True:
        patience_ms = int(STALLS_SECONDS * 1000)
        holding = tab.world.call(
            stream.frame, "holdFile", stream.number, _LOOK_MS, repeatable=True, timeout_ms=patience_ms
        )
        try:
            told = cast("dict[str, Any]", await holding)
        except (CutOff, FrameGone, Timeout) as error:
            raise broken("the page went away while it was fetching") from error
        if "failed" in told:
            raise broken(str(told["failed"]))
        moved(int(told["received"]))
        if "url" in told:
            break
        if told["beginning"] is not None and not transfer.began.is_set():
            judge(transfer, head, base64.b64decode(told["beginning"]), wish)
        now = asyncio.get_running_loop().time()
        if int(told["received"]) > received:
            received, at = int(told["received"]), now
        elif now - at > STALLS_SECONDS:
            raise broken(f"nothing came for {STALLS_SECONDS:.0f} s")
    return str(told["url"]), base64.b64decode(told["beginning"])


async def _held(transfer: Transfer, head: Head, held: str, beginning: bytes, wish: Wish, saver: Saver) -> SavedFile:
    """Let the browser save what the page holds."""
    name = next(names_for(wish, judge(transfer, head, beginning, wish).extension))
    path = await saver.save_held(held, name, watcher(transfer, wish))
    return _named_by_content(transfer, await _kept(transfer, path, head, wish))


def _looked_at(path: Path) -> tuple[SavedFile, bytes]:
    digest, size, beginning = hashlib.sha256(), 0, b""
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            beginning = beginning or piece[:MAGIC_BYTES]
            digest.update(piece)
            size += len(piece)
    with suppress(OSError):
        path.chmod(path.stat().st_mode & ~0o111)
    return SavedFile(path, size, digest.hexdigest()), beginning
