"""What a tab asked the network for, and what came back: a bounded buffer per tab.

Bodies are not kept: the browser has them, and is asked when somebody wants to see one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from playwright.async_api import Error, Page, Request, Response

from browser_pilot.errors import InvalidArgument
from browser_pilot.pages.ring import Ring
from browser_pilot.pages.unreached import Troubles, in_few_words, may_be_the_proxys

CAPACITY = 1_000
LARGEST_BODY = 1_000_000


@dataclass(slots=True)
class Exchange:
    """One request. What is not known yet is None; ``failure`` says why there will be no answer.

    ``at`` is when it began, in seconds since the epoch.
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
class Details:
    """All there is to know about one request; bodies as far as they are text and still there."""

    request_headers: dict[str, str]
    response_headers: dict[str, str]
    request_body: str | None
    response_body: str | None


class NetworkBuffer(Ring[Exchange]):
    """Keeps the newest requests; survives navigation, ends with the tab."""

    def __init__(self, page: Page, troubles: Troubles) -> None:
        super().__init__(CAPACITY)
        self._troubles = troubles
        self._open: dict[Request, Exchange] = {}
        page.on("request", self._note_request)
        page.on("response", self._note_response)
        page.on("requestfinished", self._note_end)
        page.on("requestfailed", self._note_failure)

    def get(self, number: int) -> Exchange:
        exchange = next((exchange for exchange in self if exchange.number == number), None)
        if exchange is None:
            raise InvalidArgument(f"There is no request {number}.", suggestions=["browser_network lists them by id."])
        return exchange

    def _note_request(self, request: Request) -> None:
        exchange = Exchange(
            self.next_number(), request, time.time(), request.method, request.url, request.resource_type
        )
        self._open[request] = exchange
        self.add(exchange)

    def _note_response(self, response: Response) -> None:
        exchange = self._open.get(response.request)
        if exchange is None:
            return
        trouble = self._troubles(exchange.url) if may_be_the_proxys(response) else None
        if trouble is None:
            exchange.status = response.status
        else:
            exchange.failure = in_few_words(trouble)
        self.stir()

    def _note_end(self, request: Request) -> None:
        exchange = self._open.pop(request, None)
        if exchange is not None:
            exchange.duration_ms = max(0, int((time.time() - exchange.at) * 1000))
            self.stir()

    def _note_failure(self, request: Request) -> None:
        exchange = self._open.get(request)
        # What the proxy said for itself is the reason, whatever the page then made of its answer.
        if exchange is not None and exchange.failure is None:
            failure = (request.failure or "failed").removeprefix("net::")
            # What the page itself gave up has no other reason.
            trouble = None if failure == "ERR_ABORTED" else self._troubles(exchange.url)
            exchange.failure = failure if trouble is None else in_few_words(trouble)
        self._note_end(request)


async def details(exchange: Exchange) -> Details:
    request = exchange.request
    sent = _text(request.post_data_buffer)
    try:
        response = await request.response() if exchange.failure is None and exchange.status is not None else None
        if response is None:
            return Details(await request.all_headers(), {}, sent, None)
        # A body that is still coming may never end.
        came = await _body(response) if exchange.duration_ms is not None else None
        return Details(await request.all_headers(), await response.all_headers(), sent, came)
    except Error:
        return Details(request.headers, {}, sent, None)


async def _body(response: Response) -> str | None:
    try:
        return _text(await response.body())
    except Error:
        return None


def _text(body: bytes | None) -> str | None:
    """The body as far as it is text and of a size that can be looked through."""
    if body is None:
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= LARGEST_BODY else f"{text[:LARGEST_BODY]}… ({len(text)} characters)"
