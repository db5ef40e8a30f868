"""The hash chain of the audit log, and its verification.

Pure. Each row's hash covers the previous row's hash, the row's number and its text. So the rows alone show whether one
was changed, removed, inserted or moved. Rows removed at the end leave no trace in the rest: for that the log keeps its
*head* (number and hash of the last row) twice, in the database and, with an HMAC, in a file beside it (see ``anchor``).

Detected: accidents, and any change by someone without the key file. Not detected: a change by someone with all rights
of the user, who can read the key and forge the head. Against that, store the head elsewhere from time to time (``log
verify`` prints it) and compare: an older head must still be in the chain.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

GENESIS = bytes(32)
MAX_PROBLEMS = 100


class ChainHead(NamedTuple):
    """A position in the chain: the number of a row and its hash. Number 0 is before the first row."""

    seq: int
    hash: bytes


EMPTY_HEAD = ChainHead(0, GENESIS)


class ChainRow(NamedTuple):
    seq: int
    body: str
    hash: bytes


@dataclass(frozen=True)
class ChainProblem:
    seq: int
    text: str


@dataclass(frozen=True)
class VerificationReport:
    """The result of a verification: ``rows`` were read, the chain ends at ``head``."""

    rows: int
    head: ChainHead
    problems: tuple[ChainProblem, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.problems


def encode_body(body: Mapping[str, object]) -> str:
    """The canonical form of a row's content: JSON, sorted, compact, valid UTF-8."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # A lone surrogate, which UTF-8 cannot hold, becomes its JSON escape.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def chain_hash(previous: bytes, seq: int, body: str) -> bytes:
    return hashlib.sha256(previous + seq.to_bytes(8, "big") + body.encode("utf-8", "surrogatepass")).digest()


def pruned_to(body: str) -> ChainHead | None:
    """The last row that retention removed, when ``body`` is that of a checkpoint."""
    if '"kind":"checkpoint"' not in body:
        return None
    content = _content(body)
    if content.get("kind") != "checkpoint":
        return None
    seq, digest = content.get("pruned_seq"), content.get("pruned_hash")
    if not isinstance(seq, int) or not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        return None
    return ChainHead(seq, bytes.fromhex(digest))


def verify(
    rows: Iterable[ChainRow],
    *,
    start: ChainHead = EMPTY_HEAD,
    head: ChainHead | None = None,
    anchors: Iterable[ChainHead] = (),
) -> VerificationReport:
    """Check ``rows``, in the order of their numbers.

    ``start`` is where the rows begin according to the last checkpoint; ``head`` is the end according to the database;
    ``anchors`` are heads stored elsewhere that must still be in the chain.
    """
    problems: list[ChainProblem] = []
    wanted: dict[int, set[bytes]] = {}
    for anchor in anchors:
        if anchor.seq > start.seq:
            wanted.setdefault(anchor.seq, set()).add(anchor.hash)
    start_is_confirmed = start == EMPTY_HEAD
    last, count = start, 0
    for row in rows:
        count += 1
        if row.seq != last.seq + 1:
            problems.append(_missing(last.seq + 1, row.seq - 1))
        elif row.hash != chain_hash(last.hash, row.seq, row.body):
            problems.append(ChainProblem(row.seq, f"Row {row.seq} or the one before it was changed."))
        if wanted.pop(row.seq, {row.hash}) != {row.hash}:
            problems.append(ChainProblem(row.seq, f"Row {row.seq} is not the one in the stored head."))
        if not start_is_confirmed and pruned_to(row.body) == start:
            start_is_confirmed = True
        gap = _gap(row)
        if gap:
            problems.append(gap)
        last = ChainHead(row.seq, row.hash)
        if len(problems) >= MAX_PROBLEMS:
            return VerificationReport(count, last, tuple(problems))
    if not start_is_confirmed:
        problems.append(ChainProblem(start.seq, f"Rows up to {start.seq} were removed without a checkpoint."))
    if wanted and max(wanted) > last.seq:
        problems.append(_missing(last.seq + 1, max(wanted)))
    elif head is not None and head != last:
        problems.append(
            _missing(last.seq + 1, head.seq)
            if head.seq > last.seq
            else ChainProblem(last.seq, "The head in the database does not match its rows.")
        )
    return VerificationReport(count, last, tuple(problems))


def _missing(first: int, last: int) -> ChainProblem:
    if last < first:
        return ChainProblem(first, f"Row {first} is out of order.")
    rows = f"Row {first} is" if first == last else f"Rows {first} to {last} are"
    return ChainProblem(first, f"{rows} missing.")


def _gap(row: ChainRow) -> ChainProblem | None:
    if '"kind":"gap"' not in row.body:
        return None
    content = _content(row.body)
    if content.get("kind") != "gap":
        return None
    return ChainProblem(
        row.seq, f"When the log was opened before row {row.seq}, its end was missing: {content.get('text')}"
    )


def _content(body: str) -> dict[str, object]:
    try:
        content: object = json.loads(body)
    except ValueError:
        return {}
    return cast(dict[str, object], content) if isinstance(content, dict) else {}
