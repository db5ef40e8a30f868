"""Rate limit per client and operation over a sliding minute; a rejected call does not count."""

from __future__ import annotations

from .budgets import Budgets, Charge, Shortage

MINUTE_SECONDS = 60.0


class RateLimiter:
    """Holds the timestamps of the last minute's calls. ``per_minute`` may change at any time."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._calls = Budgets()

    def admit(self, client: str, operation: str, now: float) -> float | None:
        """Count the call and return None, or reject it and return the seconds until the next one is admitted."""
        charge = Charge(f"{client} {operation}", self.per_minute, MINUTE_SECONDS)
        outcome = self._calls.reserve([charge], now)
        return outcome.retry_after_seconds if isinstance(outcome, Shortage) else None

    def prune(self, now: float) -> None:
        self._calls.prune(now, older_than_seconds=MINUTE_SECONDS)
