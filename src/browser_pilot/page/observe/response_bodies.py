"""Bodies of requests and responses as text, and the recent ones that outlive their document.

The browser discards the bodies of a document's requests when the tab shows another one. Those of documents and of
calls to an API, which an agent looks for after a navigation, are copied when they arrive.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from playwright.async_api import Error, Request, Response

from browser_pilot.page.token_bucket import TokenBucket

MAX_BODY_CHARACTERS = 1_000_000
KEPT_TYPES = frozenset({"document", "xhr", "fetch"})
# As they are sent, so compressed.
MAX_KEPT_BYTES = 200_000
MAX_KEPT_CHARACTERS = 500_000
MAX_ALL_KEPT_CHARACTERS = 4_000_000
KEPT_BURST = 50
KEPT_PER_SECOND = 10
_BLANK_LINE = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Body:
    """Its text, or why there is none."""

    text: str | None = None
    missing: str = ""


def decode(body: bytes) -> Body:
    """The body if it is UTF-8 text, cut at ``MAX_BODY_CHARACTERS``; of a multipart body the parts that are text."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        if not body.startswith(b"--"):
            return Body(missing=f"binary, {len(body)} bytes")
        text = _text_parts(body)
    if len(text) > MAX_BODY_CHARACTERS:
        text = f"{text[:MAX_BODY_CHARACTERS]}… ({len(text)} characters)"
    return Body(text)


def _text_parts(body: bytes) -> str:
    """A multipart body with the size of each binary part in its place."""
    delimiter = body.partition(b"\r\n")[0]
    parts: list[str] = []
    for part in body.split(delimiter):
        head, blank, content = part.partition(_BLANK_LINE)
        try:
            parts.append(part.decode("utf-8"))
        except UnicodeDecodeError:
            size = len(content.removesuffix(b"\r\n"))
            parts.append(f"{(head + blank).decode('utf-8', 'replace')}(binary, {size} bytes)\r\n")
    return delimiter.decode("utf-8", "replace").join(parts)


class KeptBodies:
    """Response bodies by the number of their request, the newest within a bound. Lives as long as its log."""

    def __init__(self) -> None:
        self._bodies: OrderedDict[int, Body] = OrderedDict()
        self._characters = 0
        self._rate = TokenBucket(KEPT_BURST, KEPT_PER_SECOND)
        # One at a time: many large bodies at once would hold up the browser's other messages.
        self._lock = asyncio.Lock()

    def get(self, number: int) -> Body | None:
        return self._bodies.get(number)

    def wants(self, request: Request, now: float) -> bool:
        return request.resource_type in KEPT_TYPES and self._rate.take(now)

    async def keep(self, number: int, request: Request) -> None:
        async with self._lock:
            try:
                response = await request.response()
                if response is None or (await request.sizes())["responseBodySize"] > MAX_KEPT_BYTES:
                    return
                body = decode(await response.body())
            except Error:
                return  # a redirect, or the document is gone
        size = len(body.text or "")
        if size > MAX_KEPT_CHARACTERS:
            return
        self._bodies[number] = body
        self._characters += size
        while self._characters > MAX_ALL_KEPT_CHARACTERS:
            _, oldest = self._bodies.popitem(last=False)
            self._characters -= len(oldest.text or "")


async def read_body(response: Response) -> Body:
    """Read it from the browser, which may have discarded it."""
    try:
        return decode(await response.body())
    except Error:
        return Body(missing="no longer available: the page has left the document, or the body is too large")
