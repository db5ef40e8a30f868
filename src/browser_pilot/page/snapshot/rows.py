"""What a client sees of a page: rows, in the page's order, and how they are written in a table.

A row is one thing that can be read or acted on. The text of a block and the links and buttons inside that text share
one row, where they appear as ``[label](ref)``, or ``[label](ref role states)`` when it is no link. The value of a field
ends its states, after ``=``. A name in parentheses describes a thing that has no name of its own.

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
# Text of the page must not look like one of our own references.
_FORGED_REF = re.compile(r"\](?=\((?:f\d+)?e\d)")


@dataclass(frozen=True, slots=True)
class Row:
    """One thing on the page."""

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
        return self.ref, self.kind, self.label(), self.condition()

    @property
    def kind(self) -> str:
        """The role, with the level of a heading in it: h2 says in one word what takes five otherwise."""
        return f"h{self._level}" if self._level else self.role

    @property
    def _level(self) -> str:
        if self.role != "heading":
            return ""
        return next((state[-1] for state in self.states if _HEADING_LEVEL.fullmatch(state)), "")

    def label(self) -> str:
        """The name, or the line of text with the things in it."""
        if not self.parts:
            return _FORGED_REF.sub("] ", self.name)
        return "".join(_FORGED_REF.sub("] ", p) if isinstance(p, str) else p.inline() for p in self.parts).strip()

    def condition(self) -> str:
        """The states, then the place on the screen and the address where they were asked for, then the value."""
        words = [state for state in self.states if not (self._level and _HEADING_LEVEL.fullmatch(state))]
        if self.box is not None:
            words.append("@({},{},{},{})".format(*self.box))
        if self.url is not None:
            words.append(f"-> {self.url}")
        if self.value is not None:
            words.append(f"={self.value}")
        return " ".join(words)

    def inline(self) -> str:
        """The row as it stands inside a line of text."""
        words = [self.ref]
        if self.role != "link":
            words.append(self.kind)
        if condition := self.condition():
            words.append(condition)
        return f"[{self.name.replace(']', ')')}]({' '.join(words)})"

    def things(self) -> Iterator[Row]:
        """The row itself and the rows inside its line."""
        yield self
        for part in self.parts:
            if isinstance(part, Row):
                yield from part.things()


@dataclass(frozen=True, slots=True)
class View:
    """A page, or a part of it, at one moment. ``document`` tells one document from the next in the same tab."""

    url: str
    title: str
    document: str
    rows: tuple[Row, ...]
    skipped: int = 0
    rest: int = 0

    def things(self) -> Iterator[Row]:
        """Every row and every row inside a line, in order."""
        for row in self.rows:
            yield from row.things()

    def find(self, ref: str) -> Row | None:
        return next((row for row in self.things() if row.ref == ref), None)


def narrow(view: View, detail: Detail) -> View:
    """The view at a level of detail: ``interactive`` keeps what can be acted on, and headings for orientation."""
    if detail != "interactive":
        return view
    kept = (row for row in view.things() if row.actionable or row.role in ("heading", "iframe", "dialog", "alert"))
    return replace(view, rows=tuple(replace(row, name=row.label(), parts=()) for row in kept))


def table(view: View) -> list[dict[str, str]]:
    """The rows as they are encoded in an answer."""
    return [dict(zip(FIELDS, row.cells(), strict=True)) for row in view.rows]


FIELDS = ("ref", "role", "name", "states")
