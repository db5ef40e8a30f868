"""The diff between two snapshots of one tab: new, changed and removed rows.

``diff_or_none`` returns None when a diff makes no sense (another document, or a diff that costs more than the table);
the client then gets a full snapshot. Otherwise ``apply_diff(old, make_diff(old, new)) == new``, exactly. A row that
moved counts as new at its new position.

Pure: no browser, no clock.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .rows import Row, Snapshot
from .token_budget import costs_at_least, estimate_rows, estimate_tokens

# Fewer rows that reappear are listed like new ones.
_MIN_RETURNED = 3
_REF = re.compile(r"(.*e)(\d+)")


@dataclass(frozen=True, slots=True)
class InsertedRow:
    """A new row, and the ref of the row before it (None: it comes first)."""

    after: str | None
    row: Row


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row as it is now and as it was before."""

    row: Row
    before: Row

    def changed_cells(self) -> list[tuple[str, str]]:
        """The cells that differ, each with its new text."""
        pairs = zip(("role", "name", "states"), self.row.cells()[1:], self.before.cells()[1:], strict=True)
        return [(field, now) for field, now, then in pairs if now != then]


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """What turns one snapshot into the next."""

    url: str
    title: str
    document: str
    skipped: int
    rest: int
    removed: tuple[str, ...]
    changed: tuple[ChangedRow, ...]
    new: tuple[InsertedRow, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.removed or self.changed or self.new)


def diff_or_none(old: Snapshot | None, new: Snapshot) -> SnapshotDiff | None:
    """The diff to ``old``, or None when a full snapshot is better."""
    diff = make_diff(old, new) if old is not None else None
    if diff is None or diff.is_empty or costs_at_least(new.rows, diff_cost(diff)):
        return diff
    return None


def make_diff(old: Snapshot, new: Snapshot) -> SnapshotDiff | None:
    """What turns ``old`` into ``new``, or None when they are not snapshots of the same document."""
    if old.document != new.document or old.skipped != new.skipped:
        return None
    before = {row.ref: row for row in old.rows}
    now = {row.ref: row for row in new.rows}
    if len(before) != len(old.rows) or len(now) != len(new.rows):
        return None
    positions = {row.ref: index for index, row in enumerate(old.rows)}
    both = [row.ref for row in new.rows if row.ref in before]
    kept = set(_longest_increasing(both, [positions[ref] for ref in both]))
    inserted: list[InsertedRow] = []
    last: str | None = None
    for row in new.rows:
        if row.ref not in kept:
            inserted.append(InsertedRow(last, row))
        last = row.ref
    return SnapshotDiff(
        url=new.url,
        title=new.title,
        document=new.document,
        skipped=new.skipped,
        rest=new.rest,
        removed=tuple(row.ref for row in old.rows if row.ref not in now),
        changed=tuple(ChangedRow(now[ref], before[ref]) for ref in both if ref in kept and now[ref] != before[ref]),
        new=tuple(inserted),
    )


def apply_diff(old: Snapshot, diff: SnapshotDiff) -> Snapshot:
    """The snapshot that a diff leads to."""
    replaced = {change.row.ref: change.row for change in diff.changed}
    dropped = {*diff.removed, *(insertion.row.ref for insertion in diff.new)}
    following: dict[str | None, Row] = {insertion.after: insertion.row for insertion in diff.new}
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
        url=diff.url,
        title=diff.title,
        document=diff.document,
        skipped=diff.skipped,
        rest=diff.rest,
        rows=tuple(rows),
    )


def diff_tables(
    diff: SnapshotDiff, *, is_known: Callable[[Row], bool] = lambda _: False
) -> dict[str, list[dict[str, str]] | str]:
    """The diff as it is encoded in a tool result. An empty ``after`` means: after the row above.

    ``is_known``: whether the client was shown a row before exactly as it is. Several such rows that reappear one after
    the other are named by their refs.
    """
    encoded: dict[str, list[dict[str, str]] | str] = {}
    returned, new = _split_returned(diff.new, is_known)
    if diff.changed:
        pairs = [(change.row.ref, *what) for change in diff.changed for what in change.changed_cells()]
        encoded["changed"] = [{"ref": ref, "what": what, "now": now} for ref, what, now in pairs]
    if new:
        encoded["new"] = [_new_row(insertion, index, new) for index, insertion in enumerate(new)]
    if returned:
        encoded["back"] = [
            {"after": run[0].after or "top", "as_before": ref_ranges(insertion.row.ref for insertion in run)}
            for run in returned
        ]
    if diff.removed:
        encoded["gone"] = ref_ranges(diff.removed)
    return encoded


def ref_ranges(refs: Iterable[str]) -> str:
    """Refs with their count, several consecutive ones as a range: ``4 rows: e1-e3 f2e1``."""
    numbered = [(match[1], int(match[2])) if (match := _REF.fullmatch(ref)) is not None else (ref, -1) for ref in refs]
    ranges: list[list[tuple[str, int]]] = []
    for prefix, number in numbered:
        if ranges and ranges[-1][-1] == (prefix, number - 1):
            ranges[-1].append((prefix, number))
        else:
            ranges.append([(prefix, number)])
    texts = [
        " ".join(map(_ref, run)) if len(run) < _MIN_RETURNED else f"{_ref(run[0])}-{_ref(run[-1])}" for run in ranges
    ]
    count = f"{len(numbered)} rows: " if len(numbered) >= _MIN_RETURNED else ""
    return count + " ".join(texts)


def _ref(numbered: tuple[str, int]) -> str:
    prefix, number = numbered
    return prefix if number < 0 else f"{prefix}{number}"


def _split_returned(
    new: Sequence[InsertedRow], is_known: Callable[[Row], bool]
) -> tuple[list[list[InsertedRow]], list[InsertedRow]]:
    """Runs of rows that reappear unchanged, and the other rows."""
    runs: list[list[InsertedRow]] = []
    for index, insertion in enumerate(new):
        follows = index > 0 and new[index - 1].row.ref == insertion.after
        if runs and follows and is_known(insertion.row) == is_known(runs[-1][0].row):
            runs[-1].append(insertion)
        else:
            runs.append([insertion])
    returned = [run for run in runs if len(run) >= _MIN_RETURNED and is_known(run[0].row)]
    return returned, [insertion for run in runs if run not in returned for insertion in run]


def _new_row(insertion: InsertedRow, index: int, all_new: Sequence[InsertedRow]) -> dict[str, str]:
    follows = index > 0 and all_new[index - 1].row.ref == insertion.after
    ref, role, name, states = insertion.row.cells()
    after = "" if follows else insertion.after or "top"
    return {"after": after, "ref": ref, "role": role, "name": name, "states": states}


def diff_cost(diff: SnapshotDiff) -> int:
    """About how many tokens a diff costs."""
    changed = sum(
        estimate_tokens(f"{c.row.ref},{what},{now}") + 5 for c in diff.changed for what, now in c.changed_cells()
    )
    return changed + estimate_rows(i.row for i in diff.new) + 2 * len(diff.new) + 3 * len(diff.removed)


def _longest_increasing(items: Sequence[str], positions: Sequence[int]) -> list[str]:
    """The longest subsequence of items whose positions increase."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int | None] = []
    for index, position in enumerate(positions):
        at = bisect_left(tails, position)
        previous.append(ends[at - 1] if at else None)
        if at == len(tails):
            tails.append(position)
            ends.append(index)
        else:
            tails[at] = position
            ends[at] = index
    run: list[str] = []
    index_or_none = ends[-1] if ends else None
    while index_or_none is not None:
        run.append(items[index_or_none])
        index_or_none = previous[index_or_none]
    return run[::-1]
