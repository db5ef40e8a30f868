"""One page of the console or network log, newest entries last, within a token budget; and filters for both.

By default a page has what is new since the client's last call, within ``BRIEF_TOKENS``: an agent looks at a log after
each of its actions.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import Field, WithJsonSchema

from browser_pilot.page.observe.ring_buffer import Numbered, RingBuffer
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.policy.hosts import page_site, parse_host
from browser_pilot.redaction.offloading import redact

Limit = Annotated[int, Field(ge=1, le=1000)] | None
Number = Annotated[int, Field(ge=0, le=2**53), WithJsonSchema({"type": "integer"})] | None
# The tokens of a result without its rows, and of a row without its cells.
ENVELOPE_TOKENS = 40
ROW_TOKENS = 6
BRIEF_TOKENS = 500
MAX_BRIEF_CHARACTERS = 300
DEFAULT_LIMIT = 50
# Cells in which equal rows may differ.
VARYING_CELLS = frozenset({"id", "time", "ms"})

E = TypeVar("E", bound=Numbered)
LogRow = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class PageRange:
    """Which part of a log a call reads. ``limit`` counts rows; ``before`` is the cursor.

    Without both the call reads what is new since the client last did so, briefly.
    """

    limit: int | None
    before: int | None
    max_tokens: int

    @property
    def is_brief(self) -> bool:
        return self.limit is None and self.before is None

    @property
    def token_budget(self) -> int:
        return min(self.max_tokens, BRIEF_TOKENS) if self.is_brief else self.max_tokens


async def log_page(
    name: str,
    ring: RingBuffer[E],
    matches: Callable[[E], Awaitable[bool]] | None,
    row: Callable[[E], Awaitable[LogRow]],
    part: PageRange,
    *,
    dropped: int = 0,
) -> LogRow:
    """The newest entries that match and fit, oldest first, equal ones as one row with their ``count``; and the cursor
    for those before them.

    Without a filter (``matches``) and a range, only entries that the client has not read. ``dropped``: how many
    entries never came into the log, because the page made too many.
    """
    entries = [entry for entry in ring if part.before is None or entry.number < part.before]
    seen_before = 0
    if matches is None and part.is_brief:
        unread = [entry for entry in entries if ring.is_unread(entry)]
        seen_before, entries = len(entries) - len(unread), unread
        ring.mark_read()
    elif matches is not None:
        entries = [entry for entry in entries if await _matches(matches, entry)]
    rows = _FoldedRows(part)
    left = len(entries)
    oldest = 0
    for entry in reversed(entries):
        await asyncio.sleep(0)
        if not rows.add(await row(entry)):
            break
        left, oldest = left - 1, entry.number
    dropped += ring.evicted
    return {
        name: rows.oldest_first(),
        **({"earlier": left, "cursor": oldest} if left else {}),
        **({"seen_before": seen_before} if seen_before else {}),
        **({"dropped": dropped} if dropped else {}),
    }


async def _matches(matches: Callable[[E], Awaitable[bool]], entry: E) -> bool:
    await asyncio.sleep(0)  # redacting a thousand entries takes seconds
    return await matches(entry)


class _FoldedRows:
    """Rows within a budget, from the newest to the oldest. The newest of equal rows stands for all."""

    def __init__(self, part: PageRange) -> None:
        self._limit = part.limit or DEFAULT_LIMIT
        self._budget = part.token_budget - ENVELOPE_TOKENS
        self._rows: dict[tuple[str, ...], LogRow] = {}
        self._counts: Counter[tuple[str, ...]] = Counter()

    def add(self, cells: LogRow) -> bool:
        """False when there is no room for another row."""
        key = tuple(str(value) for name, value in cells.items() if name not in VARYING_CELLS)
        if key not in self._rows:
            self._budget -= estimate_tokens(",".join(map(str, cells.values()))) + ROW_TOKENS
            if self._rows and (self._budget < 0 or len(self._rows) >= self._limit):
                return False
            self._rows[key] = cells
        self._counts[key] += 1
        return True

    def oldest_first(self) -> list[LogRow]:
        rows = list(reversed(self._rows.items()))
        if len(rows) == self._counts.total():
            return [cells for _, cells in rows]
        return [{**cells, "count": self._counts[key]} for key, cells in rows]


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


def brief(text: str) -> str:
    """The beginning of a long text, for a page that is brief."""
    if len(text) <= MAX_BRIEF_CHARACTERS:
        return text
    return f"{text[:MAX_BRIEF_CHARACTERS]}… ({len(text)} characters)"


def clock_time(at: float, *, now: float) -> str:
    """The time of day, with the date if that is not today's; ``since`` accepts both."""
    full = local_time(at)
    return full.partition(" ")[2] if full[:10] == local_date(now) else full


def local_date(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at))


def local_time(at: float) -> str:
    clock = time.strftime("%H:%M:%S", time.localtime(at))
    return f"{local_date(at)} {clock}.{int(at * 1000) % 1000:03d}"
