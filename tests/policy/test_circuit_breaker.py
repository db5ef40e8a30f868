"""Repeated failures of an operation on a site block it for a while, and nothing else."""

from __future__ import annotations

from browser_pilot.policy.circuit_breaker import (
    FAILURE_THRESHOLD,
    MAX_OPEN_SECONDS,
    OPEN_SECONDS,
    TRIAL_TIMEOUT_SECONDS,
    CircuitBreaker,
)


def fail(breaker: CircuitBreaker, now: float, times: int = FAILURE_THRESHOLD) -> None:
    for _ in range(times):
        assert breaker.admit("click", "a.com", now) is None
        breaker.record("click", "a.com", now, succeeded=False)


def test_it_opens_after_consecutive_failures_and_returns_the_wait() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0.0)
    assert breaker.admit("click", "a.com", 5.0) == OPEN_SECONDS - 5.0
    assert breaker.admit("type", "a.com", 5.0) is None
    assert breaker.admit("click", "b.com", 5.0) is None


def test_a_success_resets_the_failure_count() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0.0, FAILURE_THRESHOLD - 1)
    breaker.record("click", "a.com", 0.0, succeeded=True)
    fail(breaker, 0.0, FAILURE_THRESHOLD - 1)
    assert breaker.admit("click", "a.com", 0.0) is None


def test_half_open_admits_one_trial() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0.0)
    assert breaker.admit("click", "a.com", OPEN_SECONDS) is None
    assert breaker.admit("click", "a.com", OPEN_SECONDS) == TRIAL_TIMEOUT_SECONDS
    breaker.record("click", "a.com", OPEN_SECONDS, succeeded=True)
    fail(breaker, OPEN_SECONDS, FAILURE_THRESHOLD - 1)
    assert breaker.admit("click", "a.com", OPEN_SECONDS) is None


def test_a_failed_trial_doubles_the_open_time_up_to_the_maximum() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0.0)
    now, waits = OPEN_SECONDS, list[float]()
    for _ in range(6):
        assert breaker.admit("click", "a.com", now) is None
        breaker.record("click", "a.com", now, succeeded=False)
        wait = breaker.admit("click", "a.com", now)
        assert wait is not None
        waits.append(wait)
        now += wait
    assert waits == [30.0, 60.0, 120.0, 240.0, MAX_OPEN_SECONDS, MAX_OPEN_SECONDS]


def test_after_a_trial_with_unknown_result_the_next_call_is_a_trial() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0.0)
    assert breaker.admit("click", "a.com", OPEN_SECONDS) is None
    breaker.record("click", "a.com", OPEN_SECONDS, succeeded=None)
    assert breaker.admit("click", "a.com", OPEN_SECONDS) is None
    assert breaker.admit("click", "a.com", OPEN_SECONDS + TRIAL_TIMEOUT_SECONDS) is None


def test_failures_of_calls_admitted_before_it_opened_do_not_extend_it() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0.0)
    breaker.record("click", "a.com", 1.0, succeeded=False)
    assert breaker.admit("click", "a.com", 1.0) == OPEN_SECONDS - 1.0


def test_pruning_deletes_closed_circuits_and_keeps_open_ones() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0.0)
    breaker.record("click", "b.com", 0.0, succeeded=False)
    breaker.prune_closed()
    assert breaker.admit("click", "a.com", 0.0) == OPEN_SECONDS
    for _ in range(FAILURE_THRESHOLD - 1):
        breaker.record("click", "b.com", 0.0, succeeded=False)
    assert breaker.admit("click", "b.com", 0.0) is None
