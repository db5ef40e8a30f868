"""Retention of the audit log: removes the oldest rows by age and by file size, and keeps the chain verifiable.

Rows are removed in the transaction that appends a *checkpoint*: a row with the number and hash of the last row removed,
where verification then starts, and with the counters, which the removed rows said. Rows of a running action are never
removed.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from .budget_replay import COUNTERS
from .counters import counter_state
from .writer import LogTransaction

DAY_MS = 86_400_000
# A file that is too large shrinks to this fraction of the limit, so that not every new row removes one.
TARGET_FRACTION = 0.8


@dataclass(frozen=True)
class Retention:
    days: int = 30
    size_mb: float = 10


def prune(transaction: LogTransaction, retention: Retention, now_ms: int) -> int:
    """Remove rows beyond the limits; returns how many."""
    connection = transaction.connection
    first = _number(connection, "SELECT min(seq) FROM entries")
    if first is None:
        return 0
    last_removed = max(_by_age(connection, retention, now_ms), _by_size(connection, retention, first))
    last_removed = min(last_removed, _before_open_actions(connection), transaction.head.seq - 1)
    digest = connection.execute("SELECT hash FROM entries WHERE seq = ?", (last_removed,)).fetchone()
    if last_removed < first or digest is None:
        return 0
    connection.execute("DELETE FROM entries WHERE seq <= ?", (last_removed,))
    # Python's sqlite3 executes one step of this pragma, which frees one page.
    for _ in range(int(connection.execute("PRAGMA freelist_count").fetchone()[0])):
        connection.execute("PRAGMA incremental_vacuum")
    removed = last_removed - first + 1
    transaction.append(
        {
            "kind": "checkpoint",
            "time_ms": now_ms,
            "text": f"{removed} rows were removed by age or size.",
            "pruned_seq": last_removed,
            "pruned_hash": bytes(digest[0]).hex(),
            COUNTERS: counter_state(connection),
        }
    )
    return removed


def used_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _by_age(connection: sqlite3.Connection, retention: Retention, now_ms: int) -> int:
    oldest_kept = _number(
        connection, "SELECT min(seq) FROM entries WHERE time_ms >= ?", now_ms - retention.days * DAY_MS
    )
    last = _number(connection, "SELECT max(seq) FROM entries")
    return (last or 0) if oldest_kept is None else oldest_kept - 1


def _by_size(connection: sqlite3.Connection, retention: Retention, first: int) -> int:
    used, limit = used_bytes(connection), retention.size_mb * 1_048_576
    if used <= limit:
        return 0
    count = _number(connection, "SELECT count(*) FROM entries") or 0
    return first + int(count * (1 - TARGET_FRACTION * limit / used))


def _before_open_actions(connection: sqlite3.Connection) -> int:
    oldest = _number(
        connection,
        "SELECT min(seq) FROM entries AS i WHERE kind = 'intent'"
        " AND NOT EXISTS (SELECT 1 FROM entries AS o WHERE o.intent = i.seq)",
    )
    return 2**62 if oldest is None else oldest - 1


def _number(connection: sqlite3.Connection, query: str, *values: int) -> int | None:
    found = connection.execute(query, values).fetchone()[0]
    return None if found is None else int(found)
