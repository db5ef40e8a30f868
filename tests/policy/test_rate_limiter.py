"""Sixty calls a minute, and an exact word on when to try again."""

from __future__ import annotations

from browser_pilot.policy.rates import RateLimiter


def test_the_call_after_the_last_allowed_one_is_told_when_to_come_back() -> None:
    limiter = RateLimiter(60)
    for number in range(60):
        assert limiter.admit("c", "click", number * 0.5) is None
    assert limiter.admit("c", "click", 30.0) == 30.0
    assert limiter.admit("c", "click", 60.0) is None
    assert limiter.admit("c", "click", 60.0) == 0.5


def test_clients_and_operations_have_limits_of_their_own() -> None:
    limiter = RateLimiter(1)
    assert limiter.admit("a", "click", 0.0) is None
    assert limiter.admit("b", "click", 0.0) is None
    assert limiter.admit("a", "type", 0.0) is None
    assert limiter.admit("a", "click", 0.0) == 60.0


def test_refused_calls_do_not_count() -> None:
    limiter = RateLimiter(1)
    limiter.admit("a", "click", 0.0)
    for now in range(1, 60):
        assert limiter.admit("a", "click", now) == 60.0 - now
    assert limiter.admit("a", "click", 60.0) is None


def test_pruning_forgets_only_what_is_over() -> None:
    limiter = RateLimiter(1)
    limiter.admit("a", "click", 0.0)
    limiter.prune(59.0)
    assert limiter.admit("a", "click", 59.0) == 1.0
    limiter.prune(60.0)
    assert limiter.admit("a", "click", 60.0) is None
