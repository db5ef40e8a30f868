"""One page of the console or network log, newest entries last, within a token budget; and filters for both."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from pydantic import Field, WithJsonSchema

from browser_pilot.page.observe.ring_buffer import Numbered, RingBuffer
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.policy.hosts import page_site, parse_host
from browser_pilot.redaction.offloading import redact

Limit = Annotated[int, Field(ge=1, le=1000)]
Number = Annotated[int, Field(ge=0, le=2**53), WithJsonSchema({"type": "integer"})] | None
# The tokens of a result without its rows, and of a row without its cells.
ENVELOPE_TOKENS = 40
ROW_TOKENS = 6

E = TypeVar("E", bound=Numbered)
LogRow = dict[str, object]


async def log_page(
    name: str,
    ring: RingBuffer[E],
    matches: Callable[[E], Awaitable[bool]],
    row: Callable[[E], Awaitable[LogRow]],
    *,
    limit: int,
    before: int | None,
    max_tokens: int,
    dropped: int = 0,
) -> LogRow:
    """The newest entries that match and fit, oldest first, and the cursor for those before them.

    ``dropped``: how many entries never came into the log, because the page made too many.
    """
    matching: set[int] = set()
    for entry in list(ring):
        await asyncio.sleep(0)  # redacting a thousand entries takes seconds
        if await matches(entry):
            matching.add(entry.number)
    found = ring.latest(lambda entry: entry.number in matching, limit=limit, before=before)
    shown: list[LogRow] = []
    budget = max_tokens - ENVELOPE_TOKENS
    for entry in reversed(found.entries):
        await asyncio.sleep(0)
        cells = await row(entry)
        budget -= estimate_tokens(",".join(map(str, cells.values()))) + ROW_TOKENS
        if budget < 0 and shown:
            break
        shown.append(cells)
    left = found.earlier + len(found.entries) - len(shown)
    more: LogRow = {"earlier": left, "cursor": found.entries[-len(shown)].number} if left else {}
    return {name: shown[::-1], **more, **({"dropped": dropped} if dropped else {})}


def is_at_host(url: str, wanted: str) -> bool:
    """Whether a URL is at a host, with or without its port, or at a subdomain."""
    site = page_site(url)
    name = wanted.removeprefix("*.")
    host = parse_host(name) or name.lower()
    return site is not None and (host in (site.host, str(site)) or site.host.endswith(f".{host}"))


async def contains(text: str, wanted: str | None, method: Callable[[str], str]) -> bool:
    """Whether the redacted text contains ``wanted``. Only redacted text is searched: a search that matched hidden
    text would disclose it letter by letter. Most texts do not even match before redaction, which is cheaper to test.
    """
    if wanted is None:
        return True
    return wanted.lower() in text.lower() and wanted.lower() in (await redact(method, text)).lower()


def clock_time(at: float) -> str:
    return f"{time.strftime('%H:%M:%S', time.localtime(at))}.{int(at * 1000) % 1000:03d}"
