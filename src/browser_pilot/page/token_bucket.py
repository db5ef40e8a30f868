"""Token bucket: limits how often a page may do something. Pure: the time is an argument."""

from __future__ import annotations


class TokenBucket:
    """``burst`` at once, then ``per_second``."""

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst = burst
        self._per_second = per_second
        self._tokens = float(burst)
        self._at: float | None = None

    def take(self, now: float) -> bool:
        """Whether one more is allowed."""
        elapsed = 0.0 if self._at is None else max(0.0, now - self._at)
        self._tokens = min(float(self._burst), self._tokens + elapsed * self._per_second)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
