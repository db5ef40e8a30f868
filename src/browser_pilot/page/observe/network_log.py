"""Network requests of a tab, in a bounded buffer.

Bodies are not stored: they are read from the browser when a caller requests the details.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from playwright.async_api import Error, Page, Request, Response

from browser_pilot.errors import InvalidArgument
from browser_pilot.safe_text import sanitize
from browser_pilot.upstream_errors import NAVIGATION_ABORTED, NETWORK_ERROR_PREFIX

from .proxy_errors import NetworkErrorLookup, may_be_proxy_response, short_reason
from .ring_buffer import RingBuffer

CAPACITY = 1_000
MAX_BODY_CHARACTERS = 1_000_000


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
    """Headers and bodies of one request; bodies only if they are text and still available."""

    request_headers: dict[str, str]
    response_headers: dict[str, str]
    request_body: str | None
    response_body: str | None


class NetworkLog(RingBuffer[NetworkRequest]):
    """Keeps the newest requests; survives navigation, ends with the tab."""

    def __init__(self, page: Page, last_network_error: NetworkErrorLookup) -> None:
        super().__init__(CAPACITY)
        self._last_network_error = last_network_error
        self._open: dict[Request, NetworkRequest] = {}
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("requestfinished", self._on_end)
        page.on("requestfailed", self._on_failure)

    def get(self, number: int) -> NetworkRequest:
        entry = next((entry for entry in self if entry.number == number), None)
        if entry is None:
            raise InvalidArgument(f"There is no request {number}.", suggestions=["browser_network lists them by id."])
        return entry

    def _on_request(self, request: Request) -> None:
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

    def _on_end(self, request: Request) -> None:
        entry = self._open.pop(request, None)
        if entry is not None:
            entry.duration_ms = max(0, int((time.time() - entry.at) * 1000))
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


async def read_details(entry: NetworkRequest) -> RequestDetails:
    request = entry.request
    request_body = _text(request.post_data_buffer)
    try:
        response = await request.response() if entry.failure is None and entry.status is not None else None
        if response is None:
            return RequestDetails(await request.all_headers(), {}, request_body, None)
        # A body that is still being received may never end.
        response_body = await _body(response) if entry.duration_ms is not None else None
        return RequestDetails(await request.all_headers(), await response.all_headers(), request_body, response_body)
    except Error:
        return RequestDetails(request.headers, {}, request_body, None)


async def _body(response: Response) -> str | None:
    try:
        return _text(await response.body())
    except Error:
        return None


def _text(body: bytes | None) -> str | None:
    """The body if it is UTF-8 text, cut at ``MAX_BODY_CHARACTERS``."""
    if body is None:
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= MAX_BODY_CHARACTERS else f"{text[:MAX_BODY_CHARACTERS]}… ({len(text)} characters)"
