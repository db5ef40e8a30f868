"""Computes the counters of budgets from the rows of the audit log, so that a changed counter is found.

Pure. Rows say what they spent (intents) and refunded (outcomes). Some have the state of all counters: checkpoints, as
the rows before them are gone, and the note of when rows began to say it. What the counters must be follows from these
rows, which the hash chain protects.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias, cast

from .hash_chain import ChainProblem

# A row of the table ``spends``: key, time, amount, end of its window.
WindowedSpend: TypeAlias = tuple[str, int, int, int]

SPENT = "spent"
REFUNDED = "refunded"
COUNTERS = "counters"
_FIELDS = tuple(f'"{name}":' for name in (SPENT, REFUNDED, COUNTERS))


class BudgetReplay:
    """Gets every row in order; ``problems`` compares the result with the tables."""

    def __init__(self) -> None:
        self._totals: Counter[str] = Counter()
        self._windowed: Counter[WindowedSpend] = Counter()
        # A row of an earlier version does not say how long its spends count.
        self._is_complete = True
        self._last_seq = 0

    def follow(self, seq: int, body: str) -> None:
        self._last_seq = seq
        if any(field in body for field in _FIELDS):
            try:
                self._apply(cast("dict[str, object]", json.loads(body)))
            except (ValueError, TypeError, AttributeError, KeyError):
                self._is_complete = False

    def problems(
        self, totals: Iterable[tuple[str, int]], windowed: Iterable[WindowedSpend], *, now_ms: int
    ) -> list[ChainProblem]:
        """What differs from the tables. Spends whose window has ended do not count."""
        if not self._is_complete:
            return []
        found = Counter(dict(totals))
        wrong = {key for key in {*found, *self._totals} if found[key] != self._totals[key]}
        expected = Counter({spend: count for spend, count in self._windowed.items() if spend[3] > now_ms})
        stored = Counter(spend for spend in windowed if spend[3] > now_ms)
        wrong |= {spend[0] for spend in {*expected, *stored} if expected[spend] != stored[spend]}
        return [
            ChainProblem(self._last_seq, f"The step count of {key!r} is not what the rows say.")
            for key in sorted(wrong)
        ]

    def _apply(self, body: dict[str, object]) -> None:
        state = cast("dict[str, object] | None", body.get(COUNTERS))
        if state is not None:
            self._totals = Counter(cast("dict[str, int]", state["totals"]))
            self._windowed = Counter(
                (str(key), int(time_ms), int(amount), int(expires_ms))
                for key, time_ms, amount, expires_ms in cast("list[tuple[str, int, int, int]]", state["windowed"])
            )
            self._is_complete = True
        time_ms = cast("int", body.get("time_ms"))
        for key, amount, window_ms in _spends(body.get(SPENT)):
            if window_ms is None:
                self._totals[key] += amount
            else:
                self._windowed[key, time_ms, amount, time_ms + window_ms] += 1
        for key, amount, window_ms in _spends(body.get(REFUNDED)):
            if window_ms is None:
                self._totals[key] = max(0, self._totals[key] - amount)
            elif latest := [one for one in self._windowed if one[0] == key and one[2] == amount]:
                self._take(max(latest, key=lambda one: one[1]))

    def _take(self, spend: WindowedSpend) -> None:
        self._windowed[spend] -= 1
        if self._windowed[spend] <= 0:
            del self._windowed[spend]


def _spends(value: object) -> list[tuple[str, int, int | None]]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise TypeError("a row of an earlier version")
    return [
        (str(key), int(amount), window_ms)
        for key, amount, window_ms in cast("list[tuple[str, int, int | None]]", value)
    ]
