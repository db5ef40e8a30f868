"""Fetches a file in the page, with its cookies, its referrer and its permissions, and reads it piece by piece.

``PageFetchFailed`` is raised for what the page may not read (a cross-origin response without CORS, or its own CSP); the
browser can then fetch it (``browser_fetch``). Both use the browser's network, so that the policy's network rules apply.
At most one piece is in memory at a time.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
from contextlib import suppress
from http import HTTPStatus
from typing import Any, cast

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import NoTab, PilotError, Timeout
from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import CallInterrupted, FrameGone
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import page_site

from .download_errors import PageGone, bad_status, broken, require_whole_file, response_timeout
from .download_progress import STALL_TIMEOUT_SECONDS
from .downloadable import PIECE_BYTES, Downloadable, FileHead, head_of

RESPONSE_TIMEOUT_SECONDS = 30.0
# A hung page does not apply its own timeout.
_EXTRA_TIMEOUT_MS = 2_000

_numbers = itertools.count(1)
_closing = BackgroundTasks("downloads by the page")


class PageFetchFailed(Exception):
    """The page cannot fetch the file; the message is the reason."""


async def fetch_in_page(tab: Tab, resource: Downloadable, timeout_seconds: float) -> PageStream:
    """Begin to fetch. Raises ``PageFetchFailed``, or the error of the server or the network."""
    frame, number, timeout_ms = resource.frame, f"d{next(_numbers)}", int(timeout_seconds * 1000)
    if frame is None:
        raise PageFetchFailed("it belongs to no page")
    opening = tab.world.call(
        frame, "openFile", number, resource.wire(), timeout_ms, timeout_ms=timeout_ms + _EXTRA_TIMEOUT_MS
    )
    try:
        reply = cast("dict[str, Any]", await opening)
    except (CallInterrupted, FrameGone, NoTab) as error:
        raise PageFetchFailed("the page was closed or navigated") from error
    except asyncio.CancelledError:
        _closing.spawn(_close_file(tab, frame, number))
        raise
    if reply.get("error") == "timeout":
        raise response_timeout(tab.last_network_error, resource.url, seconds=timeout_seconds)
    if "error" in reply:
        raise PageFetchFailed(str(reply["error"]))
    head = head_of(
        resource, url=reply["url"], mime=reply["mime"], disposition=reply["disposition"], length=reply["length"]
    )
    stream = PageStream(tab, frame, number, head, empty=bool(reply["empty"]))
    status = int(reply["status"])
    if status < 400:
        try:
            require_whole_file(status, str(reply["range"]))
        except PilotError:
            await stream.close()
            raise
        return stream
    await stream.close()
    if status == HTTPStatus.FORBIDDEN or page_site(resource.url) != page_site(resource.page_url):
        # Servers often refuse a cross-origin fetch of what they deliver as a subresource or a navigation.
        raise PageFetchFailed(str(status))
    raise bad_status(tab.last_network_error, resource.url, status)


class PageStream:
    """A file that the page fetches. Closing it aborts the fetch."""

    arrives_at_once = False

    def __init__(self, tab: Tab, frame: Frame, number: str, head: FileHead, *, empty: bool) -> None:
        self.head = head
        self._tab = tab
        self.frame = frame
        self.number = number
        self._ended = empty

    async def read(self) -> bytes:
        if self._ended:
            return b""
        reading = self._tab.world.call(
            self.frame, "readFile", self.number, PIECE_BYTES, timeout_ms=int(STALL_TIMEOUT_SECONDS * 1000)
        )
        try:
            reply = cast("dict[str, Any]", await reading)
        except (CallInterrupted, FrameGone, NoTab) as error:
            self._ended = True
            raise PageGone("the page was closed or navigated during the fetch") from error
        except Timeout as error:
            raise broken(f"no data for {STALL_TIMEOUT_SECONDS:.0f} s") from error
        if "error" in reply:
            self._ended = True
            raise broken(str(reply["error"]))
        piece = base64.b64decode(reply["data"])
        self._ended = not piece
        return piece

    async def close(self) -> None:
        if not self._ended:
            self._ended = True
            await _close_file(self._tab, self.frame, self.number)


async def _close_file(tab: Tab, frame: Frame, number: str) -> None:
    with suppress(PilotError):
        await tab.world.call(frame, "closeFile", number)
