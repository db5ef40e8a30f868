"""What an agent knows of a page: the rows of a snapshot, updated by diffs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

_INLINE = re.compile(r"\[([^\]]*)\]\(((?:f\d+)?e\d+)((?: [^)]*)?)\)")


@dataclass(frozen=True, slots=True)
class Row:
    ref: str
    role: str
    name: str
    states: str = ""

    @property
    def value(self) -> str:
        """The value of a field: all that follows the equals sign."""
        return self.states.partition("=")[2]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Its box in the viewport (left, top, width, height), when boxes were requested."""
        match = re.search(r"@\((-?\d+),(-?\d+),(\d+),(\d+)\)", self.states)
        assert match, f"{self} has no box"
        left, top, width, height = map(int, match.groups())
        return left, top, width, height

    def has(self, state: str) -> bool:
        return state in self.states.partition("=")[0].split()

    def elements(self) -> Iterator[Row]:
        """The row, then the links and buttons inside its line of text."""
        yield self
        for label, ref, rest in _INLINE.findall(self.name):
            role, _, states = rest.strip().partition(" ")
            yield Row(ref, role or "link", label, states)

    @property
    def text(self) -> str:
        """The name without refs."""
        return _INLINE.sub(lambda match: match[1], self.name)


def read_rows(rows: Iterable[Mapping[str, Any]]) -> tuple[Row, ...]:
    return tuple(Row(*(str(row[field]) for field in ("ref", "role", "name", "states"))) for row in rows)


def apply_result(known: Sequence[Row], result: Mapping[str, Any]) -> tuple[Row, ...]:
    """The rows after an action with this result."""
    if "elements" in result:
        return read_rows(result["elements"])
    gone = set(map(str, result.get("gone", ())))
    inserted = result.get("new", ())
    moved = {str(row["ref"]) for row in inserted}
    rows = [row for row in known if row.ref not in gone | moved]
    for change in result.get("changed", ()):
        what = {str(change["what"]): str(change["now"])}
        rows = [replace(row, **what) if row.ref == change["ref"] else row for row in rows]
    last = ""
    for row in inserted:
        place = str(row["after"]) or last
        index = 0 if place == "top" else next(i for i, known in enumerate(rows) if known.ref == place) + 1
        last = str(row["ref"])
        rows.insert(index, *read_rows([row]))
    return tuple(rows)
