"""So many calls a minute for each client and operation, over a sliding minute; a refused call does not count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .budgets import Budgets, Charge, Shortage

MINUTE_SECONDS = 60.0


class RateLimiter:
    """Holds the calls of the last minute. ``per_minute`` may change at any time."""

    def __init__(self, per_minute: int, *, calls: Budgets | None = None) -> None:
        self.per_minute = per_minute
        self._calls = calls or Budgets()

    def admit(self, client: str, operation: str, now: float) -> float | None:
        """None when the call may go on, which counts it; else the seconds after which the next one may."""
        charge = Charge(f"{client} {operation}", self.per_minute, MINUTE_SECONDS)
        outcome = self._calls.reserve([charge], now)
        return outcome.retry_after_seconds if isinstance(outcome, Shortage) else None

    def prune(self, now: float) -> None:
        self._calls.prune(now, older_than_seconds=MINUTE_SECONDS)

    def to_dict(self) -> dict[str, Any]:
        return self._calls.to_dict()

    @classmethod
    def from_dict(cls, per_minute: int, data: Mapping[str, Any]) -> RateLimiter:
        return cls(per_minute, calls=Budgets.from_dict(data))
