"""The chain of hashes through the activity log, and what breaks it.

Pure. Each row's hash covers the hash of the row before, the row's number and its text, byte by byte. So a changed,
removed, inserted or moved row is found by reading the rows alone. Rows cut off at the end leave no trace in the rest:
for that the log keeps its *head* (the last row's number and hash) twice, in the database and, sealed with a key, in a
file beside it (see ``anchor``).

What is promised: any change by someone who does not hold the key file is found, as are accidents. Not promised: a
change by someone with all rights of the user, who can read the key too and seal a forged head. Against that, note the
head elsewhere from time to time (``log verify`` prints it) and compare: an older head must still be in the chain.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

GENESIS = bytes(32)
MOST_PROBLEMS = 100


class Head(NamedTuple):
    """A place in the chain: the number of a row and its hash. Number 0 is before the first row."""

    seq: int
    hash: bytes


EMPTY = Head(0, GENESIS)


class Row(NamedTuple):
    seq: int
    body: str
    hash: bytes


@dataclass(frozen=True)
class Problem:
    seq: int
    what: str


@dataclass(frozen=True)
class Report:
    """What a verification found; ``rows`` were read, the chain ends at ``head``."""

    rows: int
    head: Head
    problems: tuple[Problem, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.problems


def encode_body(body: Mapping[str, object]) -> str:
    """The one way to write a row's content: JSON, sorted, compact, valid UTF-8."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # A lone surrogate, which UTF-8 cannot hold, becomes its JSON escape.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def link(previous: bytes, seq: int, body: str) -> bytes:
    return hashlib.sha256(previous + seq.to_bytes(8, "big") + body.encode("utf-8", "surrogatepass")).digest()


def pruned_to(body: str) -> Head | None:
    """Up to where rows were removed on purpose, when ``body`` is that of a checkpoint."""
    if '"kind":"checkpoint"' not in body:
        return None
    content = _content(body)
    if content.get("kind") != "checkpoint":
        return None
    seq, digest = content.get("pruned_seq"), content.get("pruned_hash")
    if not isinstance(seq, int) or not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        return None
    return Head(seq, bytes.fromhex(digest))


def verify(
    rows: Iterable[Row],
    *,
    start: Head = EMPTY,
    head: Head | None = None,
    anchors: Iterable[Head] = (),
) -> Report:
    """Check ``rows``, in the order of their numbers.

    ``start`` is where the last checkpoint says the rows begin; ``head`` is the database's own note of the end;
    ``anchors`` are heads that were noted earlier and must still be in the chain.
    """
    problems: list[Problem] = []
    wanted: dict[int, set[bytes]] = {}
    for anchor in anchors:
        if anchor.seq > start.seq:
            wanted.setdefault(anchor.seq, set()).add(anchor.hash)
    start_is_confirmed = start == EMPTY
    last, count = start, 0
    for row in rows:
        count += 1
        if row.seq != last.seq + 1:
            problems.append(_missing(last.seq + 1, row.seq - 1))
        elif row.hash != link(last.hash, row.seq, row.body):
            problems.append(Problem(row.seq, f"Row {row.seq} or the one before it was changed."))
        if wanted.pop(row.seq, {row.hash}) != {row.hash}:
            problems.append(Problem(row.seq, f"Row {row.seq} is not the one that was noted as the head."))
        if not start_is_confirmed and pruned_to(row.body) == start:
            start_is_confirmed = True
        gap = _gap(row)
        if gap:
            problems.append(gap)
        last = Head(row.seq, row.hash)
        if len(problems) >= MOST_PROBLEMS:
            return Report(count, last, tuple(problems))
    if not start_is_confirmed:
        problems.append(Problem(start.seq, f"Rows up to {start.seq} were removed without a checkpoint."))
    if wanted and max(wanted) > last.seq:
        problems.append(_missing(last.seq + 1, max(wanted)))
    elif head is not None and head != last:
        problems.append(
            _missing(last.seq + 1, head.seq)
            if head.seq > last.seq
            else Problem(last.seq, "The database's note of its last row does not fit its rows.")
        )
    return Report(count, last, tuple(problems))


def _missing(first: int, last: int) -> Problem:
    if last < first:
        return Problem(first, f"Row {first} is out of order.")
    rows = f"Row {first} is" if first == last else f"Rows {first} to {last} are"
    return Problem(first, f"{rows} missing.")


def _gap(row: Row) -> Problem | None:
    if '"kind":"gap"' not in row.body:
        return None
    content = _content(row.body)
    if content.get("kind") != "gap":
        return None
    return Problem(row.seq, f"When the log was opened before row {row.seq}, its end was missing: {content.get('text')}")


def _content(body: str) -> dict[str, object]:
    try:
        content: object = json.loads(body)
    except ValueError:
        return {}
    return cast(dict[str, object], content) if isinstance(content, dict) else {}
