"""Searches a snapshot by text, role or regular expression; returns the matching rows with their neighbours.

Pure: no browser, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from browser_pilot.errors import InvalidArgument

from .rows import Row, Snapshot

DEFAULT_CONTEXT_ROWS = 1


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The rows to show, in the page's order, and the refs of those that match."""

    snapshot: Snapshot
    matches: tuple[str, ...]


def search_rows(
    snapshot: Snapshot,
    *,
    query: str | None = None,
    role: str | None = None,
    regex: str | None = None,
    context_rows: int = DEFAULT_CONTEXT_ROWS,
) -> SearchResult:
    """The rows that match all criteria. Case and runs of spaces are ignored in ``query``."""
    if not (query or role or regex):
        raise InvalidArgument("Nothing to search for.", suggestions=["Give a query, a role or a regex."])
    wanted = _matcher(query, regex)
    hits = [
        index
        for index, row in enumerate(snapshot.rows)
        if any(_matches(inner, role, wanted) for inner in row.all_rows())
    ]
    shown = {near for hit in hits for near in range(hit - context_rows, hit + context_rows + 1)}
    rows = tuple(row for index, row in enumerate(snapshot.rows) if index in shown)
    return SearchResult(replace(snapshot, rows=rows), tuple(snapshot.rows[hit].ref for hit in hits))


def _matcher(query: str | None, regex: str | None) -> Callable[[str], bool]:
    try:
        pattern = re.compile(regex, re.IGNORECASE) if regex else None
    except re.error as error:
        raise InvalidArgument(
            f"Invalid regular expression: {error}.", suggestions=["Use `query` for plain text."]
        ) from error
    text_wanted = " ".join(query.lower().split()) if query else ""
    return lambda text: (
        text_wanted in " ".join(text.lower().split()) and (pattern is None or bool(pattern.search(text)))
    )


def _matches(row: Row, role: str | None, wanted: Callable[[str], bool]) -> bool:
    if role is not None and role.lower() not in (row.role, row.display_role):
        return False
    return wanted(f"{row.label()} {row.value or ''}")
