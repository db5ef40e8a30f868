"""The token budget of a tool result: how many tokens a text costs, and how much of a page fits.

The estimate follows how tokenizers of the o200k kind split text, without their tables: it is a little high on ordinary
pages and never noticeably low. A truncated result says how many rows are left and has a cursor to continue.
The cursor names the last row shown, so that it stays valid when the page changes.

Pure: no browser, no clock.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, cast

from browser_pilot.errors import InvalidArgument

from .rows import Row, Snapshot

DEFAULT_MAX_TOKENS = 8_000
_MIN_TOKENS = 200

# Keys and hashes; words; numbers in threes, where a space before counts; runs of signs; line ends; other scripts.
_PIECES = re.compile(
    r"[A-Za-z0-9+=_-]{20,}|[A-Za-z]+| ?[0-9]{1,3}|[!-/:-@\[-`{-~]+|[\r\n]+|[ \t]{2,}|[^\x00-\x7f]+|[\x00-\x1f]",
    re.ASCII,
)
_VOWELS = re.compile(r"[aeiouyAEIOUY]")
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def estimate_tokens(text: str) -> int:
    """About how many tokens a text costs; a little too many rather than too few."""
    return int(sum(map(_cost, _PIECES.findall(text)))) + 1 if text else 0


@lru_cache(maxsize=20_000)
def _cost(piece: str) -> float:
    first = piece[0]
    if not piece.isascii():
        return 0.3 + sum(map(_character_cost, piece))
    if len(piece) >= 20 and (first.isalnum() or first in "+=_-"):
        return _long_cost(piece)
    if first.isalpha():
        return _word_cost(piece)
    if piece[-1].isdigit():
        return 2.0 if first == " " else 1.0
    if first.isspace() or len(set(piece)) == 1:
        return 1 + len(piece) / 32
    return (1.0, 1.0, 1.5, 2.0)[len(piece) - 1] if len(piece) < 5 else len(piece) * 0.66


def _long_cost(piece: str) -> float:
    if sum(map(str.isdigit, piece)) >= 3:
        return len(piece) * 0.68
    words = re.findall(r"[A-Za-z]+|[^A-Za-z]+", piece)
    return sum(_word_cost(word) if word[0].isalpha() else 1 + len(word) / 16 for word in words)


def _word_cost(word: str) -> float:
    humps = _HUMPS.findall(word) if len(word) > 3 and not word.islower() else [word]
    return sum(map(_hump_cost, humps))


def _hump_cost(word: str) -> float:
    length = len(word)
    if length <= 3:
        return 1.0
    if len(_VOWELS.findall(word)) * 5 < length:
        return length / 2  # no language: keys, abbreviations
    if word.isupper():
        return max(1.0, length / 3)
    return 1.05 if length <= 6 else 1.05 + (length - 6) * 0.13


def _character_cost(character: str) -> float:
    code = ord(character)
    return next(cost for end, cost in _CHARACTER_COSTS if code < end)


# By code point: accented Latin; Cyrillic to Arabic; scripts of South Asia; marks; symbols; ideographs; emoji.
_CHARACTER_COSTS = (
    (0x80, 0.4),
    (0x0250, 0.75),
    (0x0700, 0.45),
    (0x2000, 0.6),
    (0x2070, 1.0),
    (0x2E80, 1.7),
    (0x10000, 0.95),
    (0x110000, 2.4),
)


def estimate_row(row: Row) -> int:
    """About how many tokens a row of the table costs."""
    ref, role, label, condition = row.cells()
    quotes = 2 if any(sign in label for sign in ',:"\n[]{}') else 0
    escapes = label.count('"') + label.count("\n")
    return estimate_tokens(f"{ref},{role},{label},{condition}") + 3 + quotes + escapes


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a truncated result continues: after row ``index``, which was ``ref``, or at ``offset`` of its text."""

    document: str
    index: int
    ref: str
    offset: int = 0

    def encode(self) -> str:
        text = json.dumps([self.document, self.index, self.ref, self.offset], separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(zlib.crc32(text).to_bytes(4, "big") + text).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Cursor:
        try:
            raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            if zlib.crc32(raw[4:]) != int.from_bytes(raw[:4], "big"):
                raise ValueError("checksum")
            document, index, ref, offset = cast("list[Any]", json.loads(raw[4:]))
            return cls(str(document), int(index), str(ref), int(offset))
        except (ValueError, binascii.Error) as error:
            raise InvalidArgument(
                "Invalid cursor.", suggestions=("Pass the cursor exactly as it was returned.",)
            ) from error


@dataclass(frozen=True, slots=True)
class TruncatedSnapshot:
    """As much of a snapshot as fits, how many rows are left, and the cursor that continues with them."""

    snapshot: Snapshot
    rows_left: int
    cursor: str | None


def truncate(
    snapshot: Snapshot, *, max_tokens: int = DEFAULT_MAX_TOKENS, cursor: str | None = None
) -> TruncatedSnapshot:
    """Keep the rows that fit into the budget, beginning at the cursor."""
    budget = max(max_tokens, _MIN_TOKENS) - estimate_tokens(snapshot.url + snapshot.title) - 20
    start, offset = _resume(snapshot, Cursor.decode(cursor)) if cursor else (0, 0)
    rows: list[Row] = []
    for index in range(start, len(snapshot.rows)):
        row = snapshot.rows[index]
        if offset:
            row, offset = _tail(row, offset), 0
        cost = estimate_row(row)
        if cost <= budget:
            rows.append(row)
            budget -= cost
            continue
        if rows:
            return _ended(snapshot, rows, index)
        head, taken = _head(row, budget)
        if taken == len(row.label()):
            return _ended(snapshot, [row], index + 1)
        already = len(snapshot.rows[index].label()) - len(row.label())
        next_cursor = Cursor(snapshot.document, snapshot.skipped + index, snapshot.rows[index].ref, already + taken)
        return TruncatedSnapshot(
            replace(snapshot, rows=(head,)), len(snapshot.rows) - index + snapshot.rest, next_cursor.encode()
        )
    return _ended(snapshot, rows, len(snapshot.rows))


def _ended(snapshot: Snapshot, rows: list[Row], index: int) -> TruncatedSnapshot:
    left = len(snapshot.rows) - index + snapshot.rest
    next_cursor = (
        Cursor(snapshot.document, snapshot.skipped + index - 1, snapshot.rows[index - 1].ref) if left and rows else None
    )
    return TruncatedSnapshot(replace(snapshot, rows=tuple(rows)), left, next_cursor.encode() if next_cursor else None)


def _resume(snapshot: Snapshot, cursor: Cursor) -> tuple[int, int]:
    """The row to begin with: the one after the last shown, or its position if that one is gone."""
    if cursor.document != snapshot.document:
        return 0, 0
    found = next((index for index, row in enumerate(snapshot.rows) if row.ref == cursor.ref), None)
    index = cursor.index - snapshot.skipped if found is None else found
    if cursor.offset and found is not None:
        return index, cursor.offset
    return max(0, min(index + 1, len(snapshot.rows))), 0


def _head(row: Row, budget: int) -> tuple[Row, int]:
    """As much of a row's text as fits, and its number of characters."""
    label = row.label()
    taken = fitting_length(label, budget)
    return replace(row, name=f"{label[:taken]}…", parts=()), taken


def _tail(row: Row, offset: int) -> Row:
    return replace(row, name=row.label()[offset:], parts=())


def fitting_length(text: str, budget: int) -> int:
    """The length of the longest prefix within a budget, at a line or word end where there is one near."""
    if estimate_tokens(text) <= budget:
        return len(text)
    low, high = 1, min(len(text), max(1, budget) * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    for separator in ("\n\n", "\n", " "):
        end = text.rfind(separator, low * 3 // 4, low)
        if end > 0:
            return end + len(separator)
    return low


def estimate_rows(rows: Iterable[Row]) -> int:
    return sum(map(estimate_row, rows))


def costs_at_least(rows: Iterable[Row], tokens: int) -> bool:
    """Whether all rows together do; stops as soon as that is known."""
    return any(spent >= tokens for spent in accumulate(map(estimate_row, rows)))
