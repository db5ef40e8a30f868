"""Durable counters for budgets: counts survive a restart, and no limit is exceeded.

Plain functions over an open transaction; the writer runs them in the same one as the intent's row, so an action is
either recorded and counted or neither. A counter is permanent or counts within a sliding window. A limit of 1 makes
something single-use, such as an approval. Keys are free text (``client 1f…``). The rows of the log say every change of
a counter, see ``budget_replay``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from browser_pilot.errors import BudgetExhausted
from browser_pilot.json_types import Json

from .budget_replay import WindowedSpend

# A client that was gone for this long does not come back under the same identity.
UNUSED_COUNTER_MS = 7 * 24 * 60 * 60 * 1000


@dataclass(frozen=True)
class Spend:
    """Add ``amount`` to the counter ``key``, up to ``limit`` within ``window_ms`` (None: permanent)."""

    key: str
    limit: int | None = None
    window_ms: int | None = None
    amount: int = 1


@dataclass(frozen=True)
class Usage:
    """Current counts: permanent totals, and the time of each windowed step, in seconds."""

    totals: dict[str, int]
    times: dict[str, list[float]]


def spend(connection: sqlite3.Connection, spends: Sequence[Spend], now_ms: int) -> None:
    """Count all of ``spends`` or none.

    Raises ``BudgetExhausted`` with ``key``, ``used`` and ``limit``, and ``retry_after_ms`` when waiting helps.
    """
    pending: dict[str, int] = {}
    for item in spends:
        used = _used(connection, item, now_ms) + pending.get(item.key, 0)
        if item.limit is not None and used + item.amount > item.limit:
            raise _exhausted(connection, item, used, now_ms)
        pending[item.key] = pending.get(item.key, 0) + item.amount
    for item in spends:
        if item.window_ms is None:
            connection.execute(
                "INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT (key)"
                " DO UPDATE SET value = value + excluded.value, used_ms = excluded.used_ms",
                (item.key, item.amount, now_ms),
            )
        else:
            connection.execute(
                "INSERT INTO spends VALUES (?, ?, ?, ?)", (item.key, now_ms, item.amount, now_ms + item.window_ms)
            )


def refund(connection: sqlite3.Connection, spends: Sequence[Spend]) -> None:
    """Undo the count for an action that was not executed."""
    for item in spends:
        if item.window_ms is None:
            connection.execute("UPDATE counters SET value = max(0, value - ?) WHERE key = ?", (item.amount, item.key))
        else:
            connection.execute(
                "DELETE FROM spends WHERE rowid ="
                " (SELECT rowid FROM spends WHERE key = ? AND amount = ? ORDER BY time_ms DESC LIMIT 1)",
                (item.key, item.amount),
            )


def usage(connection: sqlite3.Connection, now_ms: int) -> Usage:
    totals = {str(key): int(value) for key, value in connection.execute("SELECT key, value FROM counters")}
    times: dict[str, list[float]] = {}
    rows = connection.execute(
        "SELECT key, time_ms, amount FROM spends WHERE expires_ms > ? ORDER BY time_ms", (now_ms,)
    )
    for key, time_ms, amount in rows:
        times.setdefault(str(key), []).extend([time_ms / 1000] * amount)
    return Usage(totals, times)


def delete_expired(connection: sqlite3.Connection, now_ms: int) -> int:
    """Delete what no longer counts. Returns how many permanent counters that were: those that a client left behind."""
    connection.execute("DELETE FROM spends WHERE expires_ms <= ?", (now_ms,))
    unused = connection.execute("DELETE FROM counters WHERE used_ms <= ?", (now_ms - UNUSED_COUNTER_MS,))
    return unused.rowcount


def spend_data(spends: Sequence[Spend]) -> list[Json]:
    """How a row says what it spent or refunded."""
    return [[item.key, item.amount, item.window_ms] for item in spends]


def counter_state(connection: sqlite3.Connection) -> dict[str, Json]:
    """All counters, for a row from which they can be followed."""
    return {
        "totals": {key: value for key, value in stored_totals(connection) if value},
        "windowed": [list(spend) for spend in stored_spends(connection)],
    }


def stored_totals(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    return connection.execute("SELECT key, value FROM counters").fetchall()


def stored_spends(connection: sqlite3.Connection) -> list[WindowedSpend]:
    return connection.execute("SELECT key, time_ms, amount, expires_ms FROM spends").fetchall()


def _used(connection: sqlite3.Connection, item: Spend, now_ms: int) -> int:
    if item.window_ms is None:
        row = connection.execute("SELECT value FROM counters WHERE key = ?", (item.key,)).fetchone()
    else:
        # Steps in the future, after the clock was set back, count too: a step may count longer, never shorter.
        row = connection.execute(
            "SELECT sum(amount) FROM spends WHERE key = ? AND time_ms > ?", (item.key, now_ms - item.window_ms)
        ).fetchone()
    return int(row[0] or 0) if row else 0


def _exhausted(connection: sqlite3.Connection, item: Spend, used: int, now_ms: int) -> BudgetExhausted:
    limit = item.limit or 0
    metadata: dict[str, str | int] = {"key": item.key, "used": used, "limit": limit}
    if item.window_ms is not None:
        rows = connection.execute(
            "SELECT time_ms, amount FROM spends WHERE key = ? AND time_ms > ? ORDER BY time_ms",
            (item.key, now_ms - item.window_ms),
        )
        for time_ms, amount in rows:
            used -= int(amount)
            if used + item.amount <= limit:
                metadata["retry_after_ms"] = int(time_ms) + item.window_ms - now_ms
                break
    return BudgetExhausted(
        f"The limit of {limit} for {item.key} is reached.",
        suggestions=["Ask your user to raise the limit, or continue later."],
        metadata=metadata,
    )
