"""Durable counters for budgets: what was used up survives a restart, and no limit is overshot, not by one.

Plain functions over an open transaction; the writer runs them in the same one as the intent's row, so an action is
either recorded and counted or neither. A counter with limit 1 is also how something is used only once, such as an
approval. Keys are free text (``session:s1``, ``hour:example.com:495913``); one with an expiry is forgotten after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import BudgetExhausted


@dataclass(frozen=True)
class Spend:
    """Take ``amount`` from what ``limit`` leaves under ``key``; no limit only counts."""

    key: str
    amount: int = 1
    limit: int | None = None
    expires_ms: int | None = None


def spend(connection: sqlite3.Connection, spends: Sequence[Spend], now_ms: int) -> None:
    """Count all of ``spends``, or raise ``BudgetExhausted`` (with ``key``, ``used`` and ``limit``) and count none."""
    values = dict(read(connection, [item.key for item in spends], now_ms))
    for item in spends:
        used = values.get(item.key, 0)
        if item.limit is not None and used + item.amount > item.limit:
            raise BudgetExhausted(
                f"The limit of {item.limit} for {item.key} is used up.",
                suggestions=["Ask your user to raise the limit, or continue later."],
                metadata={"key": item.key, "used": used, "limit": item.limit},
            )
        values[item.key] = used + item.amount
    connection.executemany(
        "INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = ?2, expires_ms = ?3",
        [(item.key, values[item.key], item.expires_ms) for item in spends],
    )


def read(connection: sqlite3.Connection, keys: Iterable[str], now_ms: int) -> dict[str, int]:
    """The values of ``keys`` that were counted and have not expired."""
    found: dict[str, int] = {}
    for key in keys:
        row = connection.execute(
            "SELECT value FROM counters WHERE key = ? AND (expires_ms IS NULL OR expires_ms > ?)", (key, now_ms)
        ).fetchone()
        if row:
            found[key] = int(row[0])
    return found


def read_prefix(connection: sqlite3.Connection, prefix: str, now_ms: int) -> dict[str, int]:
    """All counters whose key begins with ``prefix``."""
    rows = connection.execute(
        "SELECT key, value FROM counters WHERE key >= ? AND key < ? AND (expires_ms IS NULL OR expires_ms > ?)",
        (prefix, prefix + "\U0010ffff", now_ms),
    )
    return {str(key): int(value) for key, value in rows}


def forget(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Start these counters at zero again."""
    connection.executemany("DELETE FROM counters WHERE key = ?", [(key,) for key in keys])


def forget_expired(connection: sqlite3.Connection, now_ms: int) -> None:
    connection.execute("DELETE FROM counters WHERE expires_ms <= ?", (now_ms,))
