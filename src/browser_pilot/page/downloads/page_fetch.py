"""Files as streams: by the page itself, else by the browser with the page as referrer.

First the page fetches, with its cookies, its referrer and its rights. What it may not read (another site that does not
agree, or its own security policy) the browser fetches for it (``browser_stream``). Both go the way of every request of
the browser, so that the rules of the network hold. At most one piece is in memory at a time.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from browser_pilot.errors import PilotError, Timeout
from browser_pilot.pages.browser_stream import open_by_browser
from browser_pilot.pages.caught import Caught, CaughtStream
from browser_pilot.pages.download_errors import bad_status, broken, no_answer, unreadable
from browser_pilot.pages.download_watch import STALLS_SECONDS
from browser_pilot.pages.frames import Frame
from browser_pilot.pages.resource import Resource
from browser_pilot.pages.stream import PIECE_BYTES, Head, Stream, head_of
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.world import CutOff, FrameGone
from browser_pilot.policy.hosts import page_site

BEGINS_SECONDS = 30.0
STARTS_SECONDS = 10.0
LARGE_BYTES = 8 << 20
# A page that hangs does not keep its own time.
_GRACE_MS = 2_000

_numbers = itertools.count(1)


class NotInPage(Exception):
    """The page itself cannot have it."""


def _ignore(_received: int) -> None:
    """Nobody wants to know."""


async def open_stream(
    tab: Tab,
    resource: Resource,
    *,
    begins_seconds: float = BEGINS_SECONDS,
    moved: Callable[[int], None] = _ignore,
) -> Stream:
    """Begin to fetch. Raises what the server, the network or a rule says against it.

    ``moved`` is told how much has come, as long as the browser has it and we do not.
    """
    until = asyncio.get_running_loop().time() + begins_seconds
    try:
        stream = await open_in_page(tab, resource, begins_seconds)
    except NotInPage as error:
        if resource.url[:5] == "blob:" and resource.frame is not None:
            return await _held(tab, resource, resource.frame, str(error), moved)
        if not resource.is_remote:
            raise unreadable(resource.url, str(error)) from None
        return await _by_browser(tab, resource, until, moved)
    if not resource.is_remote or (stream.head.length or 0) < LARGE_BYTES:
        return stream
    try:
        # Piece by piece through the page is many times slower than the browser itself, which gets the same if it can.
        faster = await _by_browser(tab, resource, until, moved)
    except PilotError:
        return stream
    one, other = (faster, stream) if faster.head.length == stream.head.length else (stream, faster)
    await other.close()
    return one


async def _by_browser(tab: Tab, resource: Resource, until: float, moved: Callable[[int], None]) -> Stream:
    left = until - asyncio.get_running_loop().time()
    return await open_by_browser(tab, resource, begins_seconds=max(1.0, left), moved=moved)


async def open_in_page(tab: Tab, resource: Resource, begins_seconds: float) -> PageStream:
    frame, number, patience_ms = resource.frame, f"d{next(_numbers)}", int(begins_seconds * 1000)
    if frame is None:
        raise NotInPage("no page holds it")
    opening = tab.world.call(
        frame, "openFile", number, resource.wire(), patience_ms, timeout_ms=patience_ms + _GRACE_MS
    )
    try:
        told = cast("dict[str, Any]", await opening)
    except (CutOff, FrameGone) as error:
        raise NotInPage("the page went away") from error
    except asyncio.CancelledError:
        _forget(tab, frame, number)
        raise
    if told.get("failed") == "late":
        raise no_answer(tab.troubles, resource.url, seconds=begins_seconds)
    if "failed" in told:
        raise NotInPage(str(told["failed"]))
    head = head_of(resource, url=told["url"], mime=told["mime"], disposition=told["disposition"], length=told["length"])
    stream = PageStream(tab, frame, number, head, empty=bool(told["empty"]))
    status = int(told["status"])
    if status < 400:
        return stream
    await stream.close()
    if page_site(resource.url) != page_site(resource.page_url):
        # What is shown on another site's pages is often refused to whoever says so, as a fetch does.
        raise NotInPage(str(status))
    raise bad_status(tab.troubles, resource.url, status)


async def _held(tab: Tab, resource: Resource, frame: Frame, why: str, moved: Callable[[int], None]) -> CaughtStream:
    """What the page holds in memory and may not fetch; the browser saves it for the page."""
    saving = tab.activity.expect_download(resource.url)
    try:
        async with asyncio.timeout(STARTS_SECONDS):
            await tab.world.call(frame, "saveHeld", resource.url, "file")
            caught = Caught(await saving, resource.page_url, tab.activity.download_watch)
            return CaughtStream(caught, Head(resource.url, "", resource.name or caught.filename), moved)
    except (TimeoutError, CutOff, FrameGone):
        saving.cancel()
        raise unreadable(resource.url, why) from None


class PageStream:
    """A file that the page fetches. Closing it ends that."""

    comes_whole = False

    def __init__(self, tab: Tab, frame: Frame, number: str, head: Head, *, empty: bool) -> None:
        self.head = head
        self._tab = tab
        self.frame = frame
        self.number = number
        self._ended = empty

    async def read(self) -> bytes:
        if self._ended:
            return b""
        reading = self._tab.world.call(
            self.frame, "readFile", self.number, PIECE_BYTES, timeout_ms=int(STALLS_SECONDS * 1000)
        )
        try:
            told = cast("dict[str, Any]", await reading)
        except (CutOff, FrameGone) as error:
            self._ended = True
            raise broken("the page went away while it was fetching") from error
        except Timeout as error:
            raise broken(f"nothing came for {STALLS_SECONDS:.0f} s") from error
        if "failed" in told:
            self._ended = True
            raise broken(str(told["failed"]))
        piece = base64.b64decode(told["data"])
        self._ended = not piece
        return piece

    async def close(self) -> None:
        if not self._ended:
            self._ended = True
            with suppress(PilotError):
                await self._tab.world.call(self.frame, "closeFile", self.number)


_forgetting: set[asyncio.Task[None]] = set()


def _forget(tab: Tab, frame: Frame, number: str) -> None:
    """Let the page drop what nobody waits for any more."""

    async def drop() -> None:
        with suppress(PilotError):
            await tab.world.call(frame, "closeFile", number)

    task = asyncio.ensure_future(drop())
    _forgetting.add(task)
    task.add_done_callback(_forgetting.discard)
