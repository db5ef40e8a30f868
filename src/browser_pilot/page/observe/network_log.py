"""Network requests and WebSockets of a tab, in a bounded buffer; not what the browser loads for itself.

Large and binary bodies are not stored (``response_bodies``): they are read from the browser when a caller requests the
details.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias

from playwright.async_api import Error, Page, Request, Response, WebSocket

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import InvalidArgument
from browser_pilot.safe_text import sanitize
from browser_pilot.upstream_errors import NAVIGATION_ABORTED, NETWORK_ERROR_PREFIX

from .proxy_errors import NetworkErrorLookup, may_be_proxy_response, short_reason
from .response_bodies import Body, KeptBodies, decode, read_body
from .ring_buffer import RingBuffer
from .websocket_log import WebSocketConnection

CAPACITY = 1_000
# Parts of the browser itself, such as its PDF viewer.
INTERNAL_SCHEMES = ("chrome:", "chrome-extension:", "chrome-untrusted:", "devtools:")


@dataclass(slots=True)
class NetworkRequest:
    """One request and its response. What has not arrived yet is None; ``failure`` is why there is no response.

    ``at`` is the start, in seconds since the epoch.
    """

    number: int
    request: Request
    at: float
    method: str
    url: str
    type: str
    status: int | None = None
    duration_ms: int | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class RequestDetails:
    """Headers and bodies of one request. A body is None if there is none by the nature of the request."""

    request_headers: dict[str, str]
    response_headers: dict[str, str]
    request_body: Body | None
    response_body: Body | None


NetworkEntry: TypeAlias = NetworkRequest | WebSocketConnection


class NetworkLog(RingBuffer[NetworkEntry]):
    """Keeps the newest requests; survives navigation, ends with the tab."""

    def __init__(self, page: Page, last_network_error: NetworkErrorLookup) -> None:
        super().__init__(CAPACITY)
        self._last_network_error = last_network_error
        self._open: dict[Request, NetworkRequest] = {}
        self._bodies = KeptBodies()
        self._tasks = BackgroundTasks("a tab's network log")
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("requestfinished", self._on_finished)
        page.on("requestfailed", self._on_failure)
        page.on("websocket", self._on_websocket)

    def get(self, number: int) -> NetworkEntry:
        entry = next((entry for entry in self if entry.number == number), None)
        if entry is None:
            raise InvalidArgument(f"There is no request {number}.", suggestions=["browser_network lists them by id."])
        return entry

    def _on_request(self, request: Request) -> None:
        if is_browser_internal(request.url):
            return
        entry = NetworkRequest(
            self.next_number(),
            request,
            time.time(),
            sanitize(request.method),
            sanitize(request.url),
            request.resource_type,
        )
        self._open[request] = entry
        self.add(entry)

    def _on_response(self, response: Response) -> None:
        entry = self._open.get(response.request)
        if entry is None:
            return
        error = self._last_network_error(entry.url) if may_be_proxy_response(response) else None
        if error is None:
            entry.status = response.status
        else:
            entry.failure = short_reason(error)
        self.notify()

    def _on_finished(self, request: Request) -> None:
        entry = self._open.get(request)
        self._on_end(request)
        if entry is not None and self._bodies.wants(request, time.monotonic()):
            self._tasks.spawn(self._bodies.keep(entry.number, request))

    def _on_end(self, request: Request) -> None:
        entry = self._open.pop(request, None)
        if entry is not None:
            entry.duration_ms = max(0, int((time.time() - entry.at) * 1000))
            self._on_entry_change(entry)

    def _on_websocket(self, socket: WebSocket) -> None:
        connection = WebSocketConnection(self.next_number(), time.time(), sanitize(socket.url))
        connection.listen(socket, lambda: self._on_entry_change(connection))
        self.add(connection)

    def _on_entry_change(self, entry: NetworkEntry) -> None:
        self.mark_unread(entry)
        self.notify()

    def _on_failure(self, request: Request) -> None:
        entry = self._open.get(request)
        # The proxy's own error is the reason, whatever the page then did with its response.
        if entry is not None and entry.failure is None:
            failure = request.failure or "failed"
            # A request that the page aborted has no other reason.
            error = None if failure == NAVIGATION_ABORTED else self._last_network_error(entry.url)
            entry.failure = failure.removeprefix(NETWORK_ERROR_PREFIX) if error is None else short_reason(error)
        self._on_end(request)

    def has_body(self, entry: NetworkRequest) -> bool:
        """Whether its response body is kept beyond its document."""
        return self._bodies.get(entry.number) is not None

    async def read_details(self, entry: NetworkRequest) -> RequestDetails:
        request = entry.request
        request_body = _request_body(request, request.headers)
        try:
            response = await request.response() if entry.failure is None and entry.status is not None else None
            request_headers = await request.all_headers()
            request_body = _request_body(request, request_headers)
            if response is None:
                return RequestDetails(request_headers, {}, request_body, None)
            return RequestDetails(
                request_headers, await response.all_headers(), request_body, await self._response_body(entry, response)
            )
        except Error:
            return RequestDetails(request.headers, {}, request_body, self._bodies.get(entry.number))

    async def _response_body(self, entry: NetworkRequest, response: Response) -> Body | None:
        if (kept := self._bodies.get(entry.number)) is not None:
            return kept
        if HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST:
            return None
        # A body that is still being received may never end.
        return Body(missing="still being received") if entry.duration_ms is None else await read_body(response)


def _request_body(request: Request, headers: Mapping[str, str]) -> Body | None:
    data = request.post_data_buffer
    if data is not None:
        return decode(data)
    length = headers.get("content-length", "0")
    # Chromium reports no body that contains a file.
    return None if length == "0" else Body(missing=f"not reported by the browser, {length} bytes")


def is_browser_internal(url: str) -> bool:
    """Whether a URL is of the browser itself and not of a page."""
    return url.startswith(INTERNAL_SCHEMES)
