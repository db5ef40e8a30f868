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


def apply_result(known: Sequence[Row], result: Mapping[str, Any], shown: Mapping[str, Row]) -> tuple[Row, ...]:
    """The rows after an action with this result; ``shown`` are all rows that the agent has been sent, by ref."""
    if "elements" in result:
        return read_rows(result["elements"])
    gone = set(_refs(str(result.get("gone", ""))))
    inserted = result.get("new", ())
    back = [(str(run["after"]), list(_refs(str(run["as_before"])))) for run in result.get("back", ())]
    moved = {str(row["ref"]) for row in inserted} | {ref for _, refs in back for ref in refs}
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
    for place, refs in back:
        index = 0 if place == "top" else next(i for i, known in enumerate(rows) if known.ref == place) + 1
        rows[index:index] = [shown[ref] for ref in refs]
    return tuple(rows)


def _refs(ranges: str) -> Iterator[str]:
    """The refs in ``4 rows: e1-e3 f2e1``."""
    for part in ranges.rpartition(": ")[2].split():
        first, _, last = part.partition("-")
        prefix, _, number = first.rpartition("e")
        for each in range(int(number), int((last or first).rpartition("e")[2]) + 1):
            yield f"{prefix}e{each}"
