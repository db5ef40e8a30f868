"""Tracks the requests, navigations, sockets, new tabs and downloads of a tab, and which of them an action caused.

Listens for as long as its page lives. An action opens a window (``open_window``); what begins within it belongs to the
action. Requests that the page repeats on its own (polling) and those that never end (event streams) belong to none.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from playwright.async_api import CDPSession, Download, Error, Frame, Page, Request, Response, WebSocket

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.page.cdp import send
from browser_pilot.page.downloads.download_progress import DownloadProgress
from browser_pilot.page.observe.dropped_events import DroppedEvents
from browser_pilot.page.observe.network_log import is_browser_internal
from browser_pilot.page.observe.proxy_errors import may_be_proxy_response
from browser_pilot.page.token_bucket import TokenBucket
from browser_pilot.safe_text import sanitize

from .action_window import ActionWindow
from .outcome import NewTab, StartedDownload

# How long to wait for what a page loads after its document, for the rest of a response whose head has arrived, and for
# a reply over a socket: each may never come, and the page is usable without it.
LOAD_TIMEOUT_SECONDS = 1.0
BODY_TIMEOUT_SECONDS = 1.0
SOCKET_TIMEOUT_SECONDS = 0.5

# Downloads that a page may start on its own.
DOWNLOAD_BURST = 10
DOWNLOADS_PER_SECOND = 0.2
MAX_FILE_NAME_CHARACTERS = 120

_AWAITED_TYPES = frozenset({"document", "xhr", "fetch", "script"})
_STREAM_TYPES = ("text/event-stream", "application/x-ndjson", "multipart/x-mixed-replace", "application/grpc")
_POLL_REPEATS = 2
_MAX_POLLS = 200
_MAX_LOADERS = 8
# So many documents in so many seconds: the page navigates by itself, over and over.
_MANY_DOCUMENTS = 5
_RESTLESS_SECONDS = 10.0
_MAX_LOADING_SHOWN = 3
_MAX_URL_CHARACTERS = 120

_RequestKey = tuple[str, str, str | None]


class RequestState(Enum):
    SENT = auto()
    RESPONDING = auto()  # the head of the response has arrived
    STREAMING = auto()  # the response never ends by its nature


@dataclass(slots=True)
class _InFlight:
    sent_at: float
    state: RequestState = RequestState.SENT
    responded_at: float = math.inf


class NetworkTracker:
    """``on_download`` gets every download that was not expected, and returns its id."""

    def __init__(self, page: Page, on_download: Callable[[Download], str]) -> None:
        self._page = page
        self._on_download = on_download
        self._tasks = BackgroundTasks("a tab's downloads")
        self.download_progress = DownloadProgress()
        self.dropped_events = DroppedEvents()
        self._downloads = TokenBucket(DOWNLOAD_BURST, DOWNLOADS_PER_SECOND)
        self._unreported_downloads: list[StartedDownload] = []
        self._expected: dict[str, asyncio.Future[Download]] = {}
        self._in_flight: dict[Request, _InFlight] = {}
        self._polls: OrderedDict[_RequestKey, int] = OrderedDict()
        self._windows: list[ActionWindow] = []
        self.left_open: ActionWindow | None = None
        self._changed: asyncio.Event | None = None
        self._listening = False
        self._main_id = ""
        # Counters: documents of the main frame, URL changes of any frame, and frames that came or went.
        self.documents = 0
        self.url_changes = 0
        self.frame_changes = 0
        # Chromium's loader ids of the latest documents of the main frame.
        self.loaders: deque[str] = deque(maxlen=_MAX_LOADERS)
        self._document_times: deque[float] = deque(maxlen=_MANY_DOCUMENTS)
        self.unreachable: str | None = None
        # Whether the current document has fired its load event, and its URL; Playwright may have both later.
        self.loaded = False
        self.url = page.url
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("requestfinished", self._on_request_ended)
        page.on("requestfailed", self._on_request_ended)
        page.on("framenavigated", self._on_frame_navigated)
        page.on("frameattached", self._on_frame_changed)
        page.on("framedetached", self._on_frame_changed)
        page.on("websocket", self._on_websocket)
        page.on("download", self._handle_download)
        page.on("domcontentloaded", self._wake_for_page)
        page.on("load", self._wake_for_page)

    async def subscribe(self, session: CDPSession) -> None:
        """Subscribe to the CDP events that Playwright does not pass on; once."""
        if not self._listening:
            self._listening = True
            self.download_progress.listen(session)
            self.dropped_events.listen(session)
            session.on("Page.frameNavigated", self._on_document)
            session.on("Page.loadEventFired", self._on_load)
            session.on("Page.navigatedWithinDocument", self._on_same_document_navigation)
            session.on("Page.windowOpen", self._on_window_open)
            session.on("Page.frameRequestedNavigation", self._on_requested_navigation)
            await send(session, "Page.enable")
            self._main_id = str((await send(session, "Page.getFrameTree"))["frameTree"]["frame"]["id"])

    def open_window(self) -> ActionWindow:
        """Start to attribute effects to an action."""
        window = ActionWindow(last_event=_now(), documents=self.documents, url=self._page.url)
        self._windows.append(window)
        return window

    def close_window(self, window: ActionWindow) -> None:
        window.close()
        if window is self.left_open:
            self.left_open = None
        if window in self._windows:
            self._windows.remove(window)

    def leave_open(self, window: ActionWindow) -> None:
        """Keep attributing effects for a while after the action has returned: the next read waits for them."""
        window.leave_open()
        self.left_open = window
        asyncio.get_running_loop().call_later(LOAD_TIMEOUT_SECONDS, self.close_window, window)

    async def wait_until(self, condition: Callable[[], bool], deadline: float) -> bool:
        """Wait for a condition, checked whenever something happens in the tab; False when it does not hold in time."""
        while not condition():
            if self._changed is None or self._changed.is_set():
                self._changed = asyncio.Event()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._changed.wait()
            except TimeoutError:
                return condition()
        return True

    def new_document(self, window: ActionWindow) -> bool:
        """Whether the tab shows another document than when the action began."""
        return self.documents > window.documents

    def awaited(self, window: ActionWindow) -> list[tuple[Request, float]]:
        """The requests in flight that the action caused and that are worth waiting for, each with its deadline."""
        waiting: list[tuple[Request, float]] = []
        for request, deadline in window.caused.items():
            flight = self._in_flight.get(request)
            if flight is None or flight.state is RequestState.STREAMING:
                continue
            deadline = min(deadline, flight.responded_at + BODY_TIMEOUT_SECONDS)
            if deadline > _now():
                waiting.append((request, deadline))
        return waiting

    def keeps_navigating(self) -> bool:
        """Whether the page has navigated many times lately: it may reload itself in a loop."""
        times = self._document_times
        return len(times) == _MANY_DOCUMENTS and _now() - times[0] < _RESTLESS_SECONDS

    def navigating(self, window: ActionWindow) -> bool:
        """Whether a navigation of the main frame that the action caused is in flight."""
        return any(request in self._in_flight for request in window.navigations)

    def loading(self) -> tuple[str, ...]:
        """What is still loading, in short."""
        names = [f"{request.resource_type} {_short(request.url)}" for request in self._loading_requests()]
        more = len(names) - _MAX_LOADING_SHOWN
        return (*names[:_MAX_LOADING_SHOWN], *([f"and {more} more"] if more > 0 else []))

    def busy(self) -> int:
        """How many requests are in flight, streams not counted."""
        return len(self._loading_requests())

    def working(self, *, max_age_seconds: float = math.inf) -> int:
        """How many requests for data, scripts or documents are in flight, but for polling."""
        since = _now() - max_age_seconds
        return sum(
            request.resource_type in _AWAITED_TYPES
            and self._in_flight[request].sent_at > since
            and self._polls.get(_key(request), 0) < _POLL_REPEATS
            for request in self._loading_requests()
        )

    def _loading_requests(self) -> list[Request]:
        return [
            request
            for request, flight in self._in_flight.items()
            if flight.state is not RequestState.STREAMING and not is_browser_internal(request.url)
        ]

    def note_tab(self, tab_id: str, url: str) -> None:
        """The page has opened another tab."""
        for window in self._windows:
            requested = window.opening[len(window.tabs)] if len(window.opening) > len(window.tabs) else ""
            window.tabs.append(NewTab(tab_id, requested if url in ("", "about:blank") else url))
            window.note_effect(_now())
        self._wake()

    def note_opening(self, url: str) -> None:
        """The page has requested another tab, which opens a little later."""
        for window in self._windows:
            window.opening.append(url)
        self._wake()

    def expects_tab(self, url: str) -> bool:
        """Whether an action has just requested a tab with this URL."""
        return any(url in window.opening[len(window.tabs) :] for window in self._windows)

    def _on_request(self, request: Request) -> None:
        now = _now()
        self._in_flight[request] = _InFlight(now)
        awaited, key = request.resource_type in _AWAITED_TYPES, _key(request)
        for window in self._windows:
            if self._is_main(request):
                window.navigations.append(request)
                window.document_requests.add(request)
                window.requested_url, window.proxy_response_url = request.url, None
            elif request.redirected_from in window.caused:
                window.caused[request] = window.caused[request.redirected_from]
            elif awaited and window.covers(now) and self._polls.get(key, 0) < _POLL_REPEATS:
                # A loading page keeps sending requests; an action causes only a few.
                window.caused[request] = now + LOAD_TIMEOUT_SECONDS if self.new_document(window) else math.inf
        if awaited and not self._windows:
            self._polls[key] = self._polls.pop(key, 0) + 1
            if len(self._polls) > _MAX_POLLS:
                self._polls.popitem(last=False)
        self._wake()

    def _is_main(self, request: Request) -> bool:
        return request.is_navigation_request() and request.frame == self._page.main_frame

    def _on_response(self, response: Response) -> None:
        request = response.request
        content_type = response.headers.get("content-type", "")
        streams = content_type.startswith(_STREAM_TYPES) or request.resource_type == "eventsource"
        if request in self._in_flight:
            state = RequestState.STREAMING if streams else RequestState.RESPONDING
            self._in_flight[request] = _InFlight(self._in_flight[request].sent_at, state, _now())
        for window in self._windows:
            if request in window.document_requests:
                window.status = response.status
                window.proxy_response_url = response.url if may_be_proxy_response(response) else None
        self._wake()

    def _on_request_ended(self, request: Request) -> None:
        self._in_flight.pop(request, None)
        for window in self._windows:
            if request in window.caused:
                window.note_effect(_now())
        self._wake()

    def _on_frame_navigated(self, _frame: Frame) -> None:
        self.frame_changes += 1
        self._note_effect()

    def _on_frame_changed(self, _frame: Frame) -> None:
        self.frame_changes += 1
        self._wake()

    def _on_document(self, event: dict[str, Any]) -> None:
        if "parentId" in event["frame"]:
            return
        self._main_id = str(event["frame"]["id"])
        self.documents += 1
        self._document_times.append(_now())
        self.url_changes += 1
        self.loaders.append(str(event["frame"]["loaderId"]))
        self.unreachable = event["frame"].get("unreachableUrl")
        self.loaded = event.get("type") == "BackForwardCacheRestore"
        self.url = str(event["frame"]["url"]) + str(event["frame"].get("urlFragment", ""))
        for window in self._windows:
            window.navigations.clear()
            window.navigation_pending = False
        self._polls.clear()
        # The requests of the old document are over, though there is no event for each.
        self._in_flight = {request: flight for request, flight in self._in_flight.items() if self._is_main(request)}
        self._note_effect()

    def _on_load(self, _event: dict[str, Any]) -> None:
        self.loaded = True
        self._wake()

    def _on_same_document_navigation(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_id:
            self.url = str(event["url"])
        self.url_changes += 1
        self._note_effect()

    def _on_window_open(self, event: dict[str, Any]) -> None:
        self.note_opening(str(event["url"]))

    def _on_requested_navigation(self, event: dict[str, Any]) -> None:
        if event["disposition"] == "currentTab" and event["frameId"] == self._main_id:
            for window in self._windows:
                window.navigation_pending = True
        # A link that is clicked with a modifier opens a tab without Page.windowOpen.
        elif event["disposition"] in ("newTab", "newWindow") and not self.expects_tab(str(event["url"])):
            self.note_opening(str(event["url"]))

    def _on_websocket(self, socket: WebSocket) -> None:
        socket.on("framesent", self._on_frame_sent)
        socket.on("framereceived", self._on_frame_received)

    def _on_frame_sent(self, _data: str | bytes) -> None:
        now = _now()
        for window in self._windows:
            if window.covers(now) and window.socket_sent is None:
                window.socket_sent = now
        self._wake()

    def _on_frame_received(self, _data: str | bytes) -> None:
        for window in self._windows:
            if window.socket_sent is not None:
                window.socket_sent = None
                window.note_effect(_now())
        self._wake()

    def expect_download(self, url: str) -> asyncio.Future[Download]:
        """The next download of a URL, which is not reported as the effect of an action."""
        expected = self._expected[url] = asyncio.get_running_loop().create_future()
        return expected

    def _handle_download(self, download: Download) -> None:
        expected = self._expected.pop(download.url, None)
        if expected is not None and not expected.done():
            expected.set_result(download)
            return
        if not self._downloads.take(_now()):
            self.dropped_events.record_download()
            self._tasks.spawn(_discard(download))
            return
        started = StartedDownload(self._on_download(download), sanitize(download.suggested_filename), download.url)
        reporting = [window for window in self._windows if not window.has_returned]
        for window in reporting:
            window.downloads.append(started)
        if not reporting:
            self._unreported_downloads.append(started)
        self._wake()

    def take_download_notices(self) -> tuple[str, ...]:
        """Downloads that began when no action was running to report them; each is returned once."""
        late, self._unreported_downloads = self._unreported_downloads, []
        return tuple(
            f"The page started the download {one.id} ({one.filename[:MAX_FILE_NAME_CHARACTERS]}); "
            "browser_download with this id shows its state."
            for one in late
        )

    def _note_effect(self) -> None:
        for window in self._windows:
            window.note_effect(_now())
        self._wake()

    def _wake_for_page(self, _page: Page) -> None:
        self._wake()

    def _wake(self) -> None:
        if self._changed is not None:
            self._changed.set()


async def _discard(download: Download) -> None:
    with suppress(Error):
        await download.cancel()
        await download.delete()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _key(request: Request) -> _RequestKey:
    return request.method, request.url.partition("?")[0], request.post_data


def _short(url: str) -> str:
    return url if len(url) <= _MAX_URL_CHARACTERS else f"{url[:_MAX_URL_CHARACTERS]}…"
