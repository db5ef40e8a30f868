"""Searches a view by text, role or regular expression; gives the matching rows with a little of what is around them.

Pure: no browser, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from browser_pilot.errors import InvalidArgument
from browser_pilot.pages.view import Row, View

DEFAULT_CONTEXT_ROWS = 1


@dataclass(frozen=True, slots=True)
class Found:
    """The rows to show, in the page's order, and the refs of those among them that match."""

    view: View
    matches: tuple[str, ...]


def find(
    view: View,
    *,
    query: str | None = None,
    role: str | None = None,
    regex: str | None = None,
    context_rows: int = DEFAULT_CONTEXT_ROWS,
) -> Found:
    """The rows that have all that was asked for; text is compared without regard to case and to runs of spaces."""
    if not (query or role or regex):
        raise InvalidArgument("Say what to find.", suggestions=["Give a query, a role or a regex."])
    wanted = _matcher(query, regex)
    hits = [index for index, row in enumerate(view.rows) if any(_fits(thing, role, wanted) for thing in row.things())]
    shown = {near for hit in hits for near in range(hit - context_rows, hit + context_rows + 1)}
    rows = tuple(row for index, row in enumerate(view.rows) if index in shown)
    return Found(replace(view, rows=rows), tuple(view.rows[hit].ref for hit in hits))


def _matcher(query: str | None, regex: str | None) -> Callable[[str], bool]:
    try:
        pattern = re.compile(regex, re.IGNORECASE) if regex else None
    except re.error as error:
        raise InvalidArgument(
            f"The regular expression cannot be read: {error}.", suggestions=["Use `query` for plain text."]
        ) from error
    words = " ".join(query.lower().split()) if query else ""
    return lambda text: words in " ".join(text.lower().split()) and (pattern is None or bool(pattern.search(text)))


def _fits(row: Row, role: str | None, wanted: Callable[[str], bool]) -> bool:
    if role is not None and role.lower() not in (row.role, row.kind):
        return False
    return wanted(f"{row.label()} {row.value or ''}")
