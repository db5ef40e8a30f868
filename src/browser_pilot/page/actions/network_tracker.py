"""What goes on in a tab: requests, navigations, sockets, new tabs and downloads, and which of them an action set off.

``Activity`` listens for as long as its page lives. ``mark`` is called at the start of an action; a request belongs to
it when it begins within a moment of the action or of something else that the action set off. Requests that the page
makes again and again on its own (polling) and those that never end by nature (event streams) belong to nobody.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession, Download, Frame, Page, Request, Response, WebSocket

from browser_pilot.pages.cdp import send
from browser_pilot.pages.download_watch import DownloadWatch
from browser_pilot.pages.outcome import NewTab, StartedDownload
from browser_pilot.pages.unreached import may_be_the_proxys

# An event handler, a promise or a short chain of them begins its request well within this.
MOMENT_SECONDS = 0.15
# How long to wait for what a page loads after its document, for the rest of an answer whose head has come, and for
# an answer over a socket: each may never come, and the page can be used without it.
LOAD_SECONDS = 1.0
BODY_SECONDS = 1.0
SOCKET_SECONDS = 0.5

_AWAITED = frozenset({"document", "xhr", "fetch", "script"})
_STREAMS = ("text/event-stream", "application/x-ndjson", "multipart/x-mixed-replace", "application/grpc")
_POLL_TIMES = 2
_POLLS_KEPT = 200
_LOADERS_KEPT = 8
_LOADING_SHOWN = 3
_LONGEST_URL = 120

_Key = tuple[str, str, str | None]


@dataclass(slots=True, eq=False)
class Mark:
    """The start of an action, and what it has set off so far."""

    touched: float
    documents: int
    url: str
    caused: dict[Request, float] = field(default_factory=dict[Request, float])
    navigations: list[Request] = field(default_factory=list[Request])
    documents_asked: set[Request] = field(default_factory=set[Request])
    tabs: list[NewTab] = field(default_factory=list[NewTab])
    downloads: list[StartedDownload] = field(default_factory=list[StartedDownload])
    opening: list[str] = field(default_factory=list[str])
    announced: bool = False
    sent: float | None = None
    status: int | None = None
    # The address of the latest document that was asked for, and of one that the proxy answered for.
    asked: str | None = None
    stood_in: str | None = None

    def act(self) -> None:
        """Input is being sent: whatever begins from now until ``acted`` belongs to the action."""
        self.touched = math.inf

    def acted(self) -> None:
        """The page has dealt with the input; what it set off begins within a moment."""
        self.touched = _now()

    def touch(self) -> None:
        """Something that the action set off has happened, and may set off more."""
        self.touched = max(self.touched, _now())


class Activity:
    """``catch`` takes every download, and gives its handle."""

    def __init__(self, page: Page, catch: Callable[[Download], str]) -> None:
        self._page = page
        self._catch = catch
        self.download_watch = DownloadWatch()
        self._expected: dict[str, asyncio.Future[Download]] = {}
        self._open: dict[Request, float] = {}
        self._heads: dict[Request, float] = {}
        self._streams: set[Request] = set()
        self._own: OrderedDict[_Key, int] = OrderedDict()
        self._marks: list[Mark] = []
        self.left_open: Mark | None = None
        self._pulse: asyncio.Event | None = None
        self._listening = False
        self._main_id = ""
        # How many documents the main frame has had, how often any frame changed its address, or came or went.
        self.documents = 0
        self.moves = 0
        self.frame_changes = 0
        # Chromium's names for the latest documents of the main frame.
        self.loaders: deque[str] = deque(maxlen=_LOADERS_KEPT)
        self.unreachable: str | None = None
        # Whether the present document has fired its load event, and its address; Playwright may hear of both later.
        self.loaded = False
        self.url = page.url
        page.on("request", self._request)
        page.on("response", self._response)
        page.on("requestfinished", self._done)
        page.on("requestfailed", self._done)
        page.on("framenavigated", self._frame_navigated)
        page.on("frameattached", self._frame_changed)
        page.on("framedetached", self._frame_changed)
        page.on("websocket", self._socket)
        page.on("download", self._download)
        page.on("domcontentloaded", self._stir_page)
        page.on("load", self._stir_page)

    async def listen(self, session: CDPSession) -> None:
        """Begin to hear what Playwright does not tell; once."""
        if not self._listening:
            self._listening = True
            self.download_watch.listen(session)
            session.on("Page.frameNavigated", self._document)
            session.on("Page.loadEventFired", self._load)
            session.on("Page.navigatedWithinDocument", self._route)
            session.on("Page.windowOpen", self._window)
            session.on("Page.frameRequestedNavigation", self._asked)
            await send(session, "Page.enable")
            self._main_id = str((await send(session, "Page.getFrameTree"))["frameTree"]["frame"]["id"])

    def mark(self) -> Mark:
        """Mark the start of an action."""
        mark = Mark(touched=_now(), documents=self.documents, url=self._page.url)
        self._marks.append(mark)
        return mark

    def end(self, mark: Mark) -> None:
        if mark is self.left_open:
            self.left_open = None
        if mark in self._marks:
            self._marks.remove(mark)

    def leave_open(self, mark: Mark) -> None:
        """What the action set off is noted on for a while, though it is answered: whoever looks next waits for that."""
        self.left_open = mark
        asyncio.get_running_loop().call_later(LOAD_SECONDS, self.end, mark)

    async def until(self, happened: Callable[[], bool], until: float) -> bool:
        """Wait until something is so, looking whenever something happens in the tab; False when time ran out."""
        while not happened():
            if self._pulse is None or self._pulse.is_set():
                self._pulse = asyncio.Event()
            try:
                async with asyncio.timeout_at(until):
                    await self._pulse.wait()
            except TimeoutError:
                return happened()
        return True

    def new_document(self, mark: Mark) -> bool:
        """Whether the tab shows another document than when the action began."""
        return self.documents > mark.documents

    def awaited(self, mark: Mark) -> list[tuple[Request, float]]:
        """What the action set off and that is worth waiting for, each with the time until which it is."""
        waiting: list[tuple[Request, float]] = []
        for request, since in mark.caused.items():
            if request not in self._open or request in self._streams:
                continue
            until = since
            if request in self._heads:
                until = min(until, self._heads[request] + BODY_SECONDS)
            if until > _now():
                waiting.append((request, until))
        return waiting

    def navigating(self, mark: Mark) -> bool:
        """Whether a navigation of the main frame, begun by the action, is under way."""
        return any(request in self._open for request in mark.navigations)

    def loading(self) -> tuple[str, ...]:
        """What is still being loaded, in few words."""
        names = [
            f"{request.resource_type} {_short(request.url)}" for request in self._open if request not in self._streams
        ]
        more = len(names) - _LOADING_SHOWN
        return (*names[:_LOADING_SHOWN], *([f"and {more} more"] if more > 0 else []))

    def busy(self) -> int:
        """How many requests are under way, streams not counted."""
        return sum(1 for request in self._open if request not in self._streams)

    def note_tab(self, tab_id: str, url: str) -> None:
        """The page has opened another tab."""
        for mark in self._marks:
            asked = mark.opening[len(mark.tabs)] if len(mark.opening) > len(mark.tabs) else ""
            mark.tabs.append(NewTab(tab_id, asked if url in ("", "about:blank") else url))
            mark.touch()
        self._stir()

    def note_opening(self, url: str) -> None:
        """The page asks for another tab; it is there a little later."""
        for mark in self._marks:
            mark.opening.append(url)
        self._stir()

    def expects(self, url: str) -> bool:
        """Whether an action has just asked for a tab with this address."""
        return any(url in mark.opening[len(mark.tabs) :] for mark in self._marks)

    def _request(self, request: Request) -> None:
        now = self._open[request] = _now()
        kind, key = request.resource_type, _key(request)
        for mark in self._marks:
            if self._is_main(request):
                mark.navigations.append(request)
                mark.documents_asked.add(request)
                mark.asked, mark.stood_in = request.url, None
            elif request.redirected_from in mark.caused:
                mark.caused[request] = mark.caused[request.redirected_from]
            elif kind in _AWAITED and now - mark.touched <= MOMENT_SECONDS and self._own.get(key, 0) < _POLL_TIMES:
                # A page that loads has no end of requests; one that answers an action has a few.
                mark.caused[request] = now + LOAD_SECONDS if self.new_document(mark) else math.inf
        if not self._marks and kind in _AWAITED:
            self._own[key] = self._own.pop(key, 0) + 1
            if len(self._own) > _POLLS_KEPT:
                self._own.popitem(last=False)
        self._stir()

    def _is_main(self, request: Request) -> bool:
        return request.is_navigation_request() and request.frame == self._page.main_frame

    def _response(self, response: Response) -> None:
        request = response.request
        self._heads[request] = _now()
        if response.headers.get("content-type", "").startswith(_STREAMS) or request.resource_type == "eventsource":
            self._streams.add(request)
        for mark in self._marks:
            if request in mark.documents_asked:
                mark.status = response.status
                mark.stood_in = response.url if may_be_the_proxys(response) else None
        self._stir()

    def _done(self, request: Request) -> None:
        self._open.pop(request, None)
        self._heads.pop(request, None)
        self._streams.discard(request)
        for mark in self._marks:
            if request in mark.caused:
                mark.touch()
        self._stir()

    def _frame_navigated(self, _frame: Frame) -> None:
        self.frame_changes += 1
        self._touch()

    def _frame_changed(self, _frame: Frame) -> None:
        self.frame_changes += 1
        self._stir()

    def _document(self, event: dict[str, Any]) -> None:
        if "parentId" in event["frame"]:
            return
        self._main_id = str(event["frame"]["id"])
        self.documents += 1
        self.moves += 1
        self.loaders.append(str(event["frame"]["loaderId"]))
        self.unreachable = event["frame"].get("unreachableUrl")
        self.loaded = event.get("type") == "BackForwardCacheRestore"
        self.url = str(event["frame"]["url"]) + str(event["frame"].get("urlFragment", ""))
        for mark in self._marks:
            mark.navigations.clear()
            mark.announced = False
        self._own.clear()
        # What the old document had under way is over, though nobody says so of each.
        self._open = {request: began for request, began in self._open.items() if self._is_main(request)}
        self._touch()

    def _load(self, _event: dict[str, Any]) -> None:
        self.loaded = True
        self._stir()

    def _route(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_id:
            self.url = str(event["url"])
        self.moves += 1
        self._touch()

    def _window(self, event: dict[str, Any]) -> None:
        self.note_opening(str(event["url"]))

    def _asked(self, event: dict[str, Any]) -> None:
        if event["disposition"] == "currentTab" and event["frameId"] == self._main_id:
            for mark in self._marks:
                mark.announced = True
        # A link that is clicked with a modifier opens a tab without any window being asked for.
        elif event["disposition"] in ("newTab", "newWindow") and not self.expects(str(event["url"])):
            self.note_opening(str(event["url"]))

    def _socket(self, socket: WebSocket) -> None:
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, _data: str | bytes) -> None:
        now = _now()
        for mark in self._marks:
            if now - mark.touched <= MOMENT_SECONDS and mark.sent is None:
                mark.sent = now
        self._stir()

    def _received(self, _data: str | bytes) -> None:
        for mark in self._marks:
            if mark.sent is not None:
                mark.sent = None
                mark.touch()
        self._stir()

    def expect_download(self, url: str) -> asyncio.Future[Download]:
        """The next download of an address, which is then nobody else's."""
        expected = self._expected[url] = asyncio.get_running_loop().create_future()
        return expected

    def _download(self, download: Download) -> None:
        expected = self._expected.pop(download.url, None)
        if expected is not None and not expected.done():
            expected.set_result(download)
            return
        started = StartedDownload(self._catch(download), download.suggested_filename, download.url)
        for mark in self._marks:
            mark.downloads.append(started)
        self._stir()

    def _touch(self) -> None:
        for mark in self._marks:
            mark.touch()
        self._stir()

    def _stir_page(self, _page: Page) -> None:
        self._stir()

    def _stir(self) -> None:
        if self._pulse is not None:
            self._pulse.set()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _key(request: Request) -> _Key:
    return request.method, request.url.partition("?")[0], request.post_data


def _short(url: str) -> str:
    return url if len(url) <= _LONGEST_URL else f"{url[:_LONGEST_URL]}…"
