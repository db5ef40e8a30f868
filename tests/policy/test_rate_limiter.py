"""Calls per minute, and the exact time until the next call is admitted."""

from __future__ import annotations

from browser_pilot.policy.rate_limiter import RateLimiter


def test_a_call_over_the_limit_gets_the_seconds_to_wait() -> None:
    limiter = RateLimiter(60)
    for number in range(60):
        assert limiter.admit("c", "click", number * 0.5) is None
    assert limiter.admit("c", "click", 30.0) == 30.0
    assert limiter.admit("c", "click", 60.0) is None
    assert limiter.admit("c", "click", 60.0) == 0.5


def test_each_client_and_operation_has_its_own_limit() -> None:
    limiter = RateLimiter(1)
    assert limiter.admit("a", "click", 0.0) is None
    assert limiter.admit("b", "click", 0.0) is None
    assert limiter.admit("a", "type", 0.0) is None
    assert limiter.admit("a", "click", 0.0) == 60.0


def test_rejected_calls_do_not_count() -> None:
    limiter = RateLimiter(1)
    limiter.admit("a", "click", 0.0)
    for now in range(1, 60):
        assert limiter.admit("a", "click", now) == 60.0 - now
    assert limiter.admit("a", "click", 60.0) is None


def test_pruning_deletes_only_expired_windows() -> None:
    limiter = RateLimiter(1)
    limiter.admit("a", "click", 0.0)
    limiter.prune(59.0)
    assert limiter.admit("a", "click", 59.0) == 1.0
    limiter.prune(60.0)
    assert limiter.admit("a", "click", 60.0) is None
