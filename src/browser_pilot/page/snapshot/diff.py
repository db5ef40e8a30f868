"""What changed between two views of one tab: rows new, changed and gone.

``compare`` answers None when there is nothing to build on (another document, or a diff that would cost more than the
table): then the whole page is told. Otherwise ``apply(old, difference(old, new)) == new``, exactly. A row that moved is
told as new at its new place.

Pure: no browser, no clock.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from browser_pilot.pages.ceiling import costs_at_least, estimate_tokens, total_cost
from browser_pilot.pages.view import Row, View


@dataclass(frozen=True, slots=True)
class Inserted:
    """A row that is new, and the row that it comes after (None: it comes first)."""

    after: str | None
    row: Row


@dataclass(frozen=True, slots=True)
class Changed:
    """A row as it is now and as it was."""

    row: Row
    before: Row

    def what(self) -> list[tuple[str, str]]:
        """The fields that read differently now, each with what it says."""
        pairs = zip(("role", "name", "states"), self.row.cells()[1:], self.before.cells()[1:], strict=True)
        return [(field, now) for field, now, then in pairs if now != then]


@dataclass(frozen=True, slots=True)
class Changes:
    """What turns one view into the next."""

    url: str
    title: str
    document: str
    skipped: int
    rest: int
    gone: tuple[str, ...]
    changed: tuple[Changed, ...]
    new: tuple[Inserted, ...]

    @property
    def empty(self) -> bool:
        return not (self.gone or self.changed or self.new)


def compare(old: View | None, new: View) -> Changes | None:
    """What changed since ``old``, or None when the whole page should be told."""
    changes = difference(old, new) if old is not None else None
    if changes is None or changes.empty or costs_at_least(new.rows, cost(changes)):
        return changes
    return None


def difference(old: View, new: View) -> Changes | None:
    """What turns ``old`` into ``new``, or None when they are not views of the same document."""
    if old.document != new.document or old.skipped != new.skipped:
        return None
    before = {row.ref: row for row in old.rows}
    now = {row.ref: row for row in new.rows}
    if len(before) != len(old.rows) or len(now) != len(new.rows):
        return None
    places = {row.ref: index for index, row in enumerate(old.rows)}
    both = [row.ref for row in new.rows if row.ref in before]
    kept = set(_longest_rising(both, [places[ref] for ref in both]))
    inserted: list[Inserted] = []
    last: str | None = None
    for row in new.rows:
        if row.ref not in kept:
            inserted.append(Inserted(last, row))
        last = row.ref
    return Changes(
        url=new.url,
        title=new.title,
        document=new.document,
        skipped=new.skipped,
        rest=new.rest,
        gone=tuple(row.ref for row in old.rows if row.ref not in now),
        changed=tuple(Changed(now[ref], before[ref]) for ref in both if ref in kept and now[ref] != before[ref]),
        new=tuple(inserted),
    )


def apply(old: View, changes: Changes) -> View:
    """The view that the changes lead to."""
    replaced = {change.row.ref: change.row for change in changes.changed}
    dropped = {*changes.gone, *(insertion.row.ref for insertion in changes.new)}
    following: dict[str | None, Row] = {insertion.after: insertion.row for insertion in changes.new}
    rows: list[Row] = []

    def follow(ref: str | None) -> None:
        while (row := following.get(ref)) is not None:
            rows.append(row)
            ref = row.ref

    follow(None)
    for row in old.rows:
        if row.ref not in dropped:
            rows.append(replaced.get(row.ref, row))
            follow(row.ref)
    return replace(
        old,
        url=changes.url,
        title=changes.title,
        document=changes.document,
        skipped=changes.skipped,
        rest=changes.rest,
        rows=tuple(rows),
    )


def tables(changes: Changes) -> dict[str, list[dict[str, str]] | list[str]]:
    """The changes as they are encoded in an answer. An empty ``after`` means: after the row above."""
    told: dict[str, list[dict[str, str]] | list[str]] = {}
    if changes.changed:
        pairs = [(change.row.ref, *what) for change in changes.changed for what in change.what()]
        told["changed"] = [{"ref": ref, "what": what, "now": now} for ref, what, now in pairs]
    if changes.new:
        told["new"] = [_told(insertion, index, changes.new) for index, insertion in enumerate(changes.new)]
    if changes.gone:
        told["gone"] = list(changes.gone)
    return told


def _told(insertion: Inserted, index: int, all_new: Sequence[Inserted]) -> dict[str, str]:
    follows = index > 0 and all_new[index - 1].row.ref == insertion.after
    ref, role, name, states = insertion.row.cells()
    after = "" if follows else insertion.after or "top"
    return {"after": after, "ref": ref, "role": role, "name": name, "states": states}


def cost(changes: Changes) -> int:
    """About how many tokens the changes cost when they are told."""
    words = sum(estimate_tokens(f"{c.row.ref},{what},{now}") + 5 for c in changes.changed for what, now in c.what())
    return words + total_cost(i.row for i in changes.new) + 2 * len(changes.new) + 3 * len(changes.gone)


def _longest_rising(items: Sequence[str], places: Sequence[int]) -> list[str]:
    """The longest run of items, not necessarily neighbours, whose places rise."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int | None] = []
    for index, place in enumerate(places):
        at = bisect_left(tails, place)
        previous.append(ends[at - 1] if at else None)
        if at == len(tails):
            tails.append(place)
            ends.append(index)
        else:
            tails[at] = place
            ends[at] = index
    run: list[str] = []
    index_or_none = ends[-1] if ends else None
    while index_or_none is not None:
        run.append(items[index_or_none])
        index_or_none = previous[index_or_none]
    return run[::-1]
