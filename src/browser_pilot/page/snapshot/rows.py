"""The rows of a snapshot, in the page's order, and how they are written in a table.

A row is one element that can be read or acted on. The text of a block and the links and buttons inside that text share
one row, where they appear as ``[label](ref)``, or ``[label](ref role states)`` when it is no link. The value of a field
ends its states, after ``=``. A name in parentheses describes an element without an accessible name.

Pure: no browser, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Detail: TypeAlias = Literal["interactive", "standard", "full"]
Box: TypeAlias = tuple[int, int, int, int]

_HEADING_LEVEL = re.compile(r"level [1-6]")
# Text of the page must not look like one of our refs.
_FORGED_REF = re.compile(r"\](?=\((?:f\d+)?e\d)")


@dataclass(frozen=True, slots=True)
class Row:
    """One element or line of text."""

    ref: str
    role: str
    name: str = ""
    states: tuple[str, ...] = ()
    value: str | None = None
    actionable: bool = False
    parts: tuple[str | Row, ...] = ()
    url: str | None = None
    box: Box | None = None

    def cells(self) -> tuple[str, str, str, str]:
        """The row of the table: ref, role, name, states."""
        return self.ref, self.display_role, self.label(), self.states_text()

    @property
    def display_role(self) -> str:
        """The role, with the level of a heading in it: ``h2`` costs fewer tokens than ``heading level 2``."""
        return f"h{self._level}" if self._level else self.role

    @property
    def _level(self) -> str:
        if self.role != "heading":
            return ""
        return next((state[-1] for state in self.states if _HEADING_LEVEL.fullmatch(state)), "")

    def label(self) -> str:
        """The name, or the line of text with the rows inside it."""
        if not self.parts:
            return _FORGED_REF.sub("] ", self.name)
        return "".join(_FORGED_REF.sub("] ", p) if isinstance(p, str) else p.inline() for p in self.parts).strip()

    def states_text(self) -> str:
        """The states, then the box and the URL where they were requested, then the value."""
        texts = [state for state in self.states if not (self._level and _HEADING_LEVEL.fullmatch(state))]
        if self.box is not None:
            texts.append("@({},{},{},{})".format(*self.box))
        if self.url is not None:
            texts.append(f"-> {self.url}")
        if self.value is not None:
            texts.append(f"={self.value}")
        return " ".join(texts)

    def inline(self) -> str:
        """The row as part of a line of text."""
        texts = [self.ref]
        if self.role != "link":
            texts.append(self.display_role)
        if condition := self.states_text():
            texts.append(condition)
        return f"[{self.name.replace(']', ')')}]({' '.join(texts)})"

    def all_rows(self) -> Iterator[Row]:
        """The row itself and the rows inside its line."""
        yield self
        for part in self.parts:
            if isinstance(part, Row):
                yield from part.all_rows()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page, or a part of it, at one moment. ``document`` identifies the document within the tab.

    ``skipped`` rows come before these, and about ``rest`` after them.
    """

    url: str
    title: str
    document: str
    rows: tuple[Row, ...]
    skipped: int = 0
    rest: int = 0

    def all_rows(self) -> Iterator[Row]:
        """Every row and every row inside a line, in order."""
        for row in self.rows:
            yield from row.all_rows()

    def find(self, ref: str) -> Row | None:
        return next((row for row in self.all_rows() if row.ref == ref), None)


def filter_detail(snapshot: Snapshot, detail: Detail) -> Snapshot:
    """The snapshot at a level of detail: ``interactive`` keeps actionable rows, and headings for orientation."""
    if detail != "interactive":
        return snapshot
    kept = (
        row for row in snapshot.all_rows() if row.actionable or row.role in ("heading", "iframe", "dialog", "alert")
    )
    return replace(snapshot, rows=tuple(replace(row, name=row.label(), parts=()) for row in kept))


def table(snapshot: Snapshot) -> list[dict[str, str]]:
    """The rows as they are encoded in a tool result."""
    return [dict(zip(FIELDS, row.cells(), strict=True)) for row in snapshot.rows]


FIELDS = ("ref", "role", "name", "states")
