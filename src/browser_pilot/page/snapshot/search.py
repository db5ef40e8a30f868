"""Searches a snapshot by text, role or regular expression; returns the matching rows with their neighbours.

No browser. A regular expression runs in a worker process (``bounded_regex``), the rest in slices in the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.bounded_regex import search_texts

from .rows import Row, Snapshot

DEFAULT_CONTEXT_ROWS = 1
# With more matches, their neighbours would be most of the result.
MAX_MATCHES_WITH_CONTEXT = 8
MAX_CONTEXT_CHARACTERS = 80
ROWS_PER_SLICE = 200


async def _unredacted(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The rows to show, in the page's order, and the refs of those that match."""

    snapshot: Snapshot
    matches: tuple[str, ...]


async def search_rows(
    snapshot: Snapshot,
    *,
    query: str | None = None,
    role: str | None = None,
    regex: str | None = None,
    context_rows: int = DEFAULT_CONTEXT_ROWS,
    redact: Callable[[str], Awaitable[str]] = _unredacted,
) -> SearchResult:
    """The rows that match all criteria. Case and runs of spaces are ignored in ``query``.

    Only redacted text is searched: otherwise a search would tell hidden text letter by letter.

    Raises ``InvalidArgument``, and ``Timeout`` for a regular expression that takes too long.
    """
    if not (query or role or regex):
        raise InvalidArgument("Nothing to search for.", suggestions=["Give a query, a role or a regex."])
    found = await _search_text(snapshot.rows, role, " ".join(query.lower().split()) if query else "", redact)
    if regex:
        matching = await search_texts(regex, [text for _, text in found], ignore_case=True)
        found = [candidate for index, candidate in enumerate(found) if index in matching]
    hits = list(dict.fromkeys(row_index for row_index, _ in found))
    if len(hits) > MAX_MATCHES_WITH_CONTEXT:
        context_rows = 0
    shown = {near for hit in hits for near in range(hit - context_rows, hit + context_rows + 1)}
    matching_rows = set(hits)
    rows = tuple(
        row if index in matching_rows else _shortened(row) for index, row in enumerate(snapshot.rows) if index in shown
    )
    return SearchResult(replace(snapshot, rows=rows), tuple(snapshot.rows[hit].ref for hit in hits))


def _shortened(row: Row) -> Row:
    """A row that is only there for orientation."""
    label = row.label()
    if len(label) > MAX_CONTEXT_CHARACTERS:
        row = replace(row, name=f"{label[: MAX_CONTEXT_CHARACTERS - 1]}…", parts=())
    if row.value is not None and len(row.value) > MAX_CONTEXT_CHARACTERS:
        row = replace(row, value=f"{row.value[: MAX_CONTEXT_CHARACTERS - 1]}…")
    return row


async def _search_text(
    rows: Sequence[Row], role: str | None, wanted: str, redact: Callable[[str], Awaitable[str]]
) -> list[tuple[int, str]]:
    """The texts that match role and query, each with the index of its row."""
    found: list[tuple[int, str]] = []
    for index, row in enumerate(rows):
        if index % ROWS_PER_SLICE == ROWS_PER_SLICE - 1:
            await asyncio.sleep(0)  # a page has up to 50,000 rows, and the event loop has other clients
        for inner in row.all_rows():
            if role is not None and role.lower() not in (inner.role, inner.display_role):
                continue
            text = await redact(f"{inner.label()} {inner.value or ''}")
            if wanted in " ".join(text.lower().split()):
                found.append((index, text))
    return found
