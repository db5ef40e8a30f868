"""What keeps failing on a site is stopped for a while, there and only there."""

from __future__ import annotations

from browser_pilot.policy.circuit import FAILURES, LONGEST_PAUSE_SECONDS, PAUSE_SECONDS, TRIAL_SECONDS, Breaker


def fail(breaker: Breaker, now: float, times: int = FAILURES) -> None:
    for _ in range(times):
        assert breaker.enter("click", "a.com", now) is None
        breaker.leave("click", "a.com", now, succeeded=False)


def test_it_opens_after_enough_failures_in_a_row_and_says_how_long() -> None:
    breaker = Breaker()
    fail(breaker, 0.0)
    assert breaker.enter("click", "a.com", 5.0) == PAUSE_SECONDS - 5.0
    assert breaker.enter("type", "a.com", 5.0) is None
    assert breaker.enter("click", "b.com", 5.0) is None


def test_a_success_in_between_starts_the_count_anew() -> None:
    breaker = Breaker()
    fail(breaker, 0.0, FAILURES - 1)
    breaker.leave("click", "a.com", 0.0, succeeded=True)
    fail(breaker, 0.0, FAILURES - 1)
    assert breaker.enter("click", "a.com", 0.0) is None


def test_after_the_pause_one_trial_decides() -> None:
    breaker = Breaker()
    fail(breaker, 0.0)
    assert breaker.enter("click", "a.com", PAUSE_SECONDS) is None
    assert breaker.enter("click", "a.com", PAUSE_SECONDS) == TRIAL_SECONDS
    breaker.leave("click", "a.com", PAUSE_SECONDS, succeeded=True)
    fail(breaker, PAUSE_SECONDS, FAILURES - 1)
    assert breaker.enter("click", "a.com", PAUSE_SECONDS) is None


def test_a_failed_trial_doubles_the_pause_up_to_a_ceiling() -> None:
    breaker = Breaker()
    fail(breaker, 0.0)
    now, pauses = PAUSE_SECONDS, list[float]()
    for _ in range(6):
        assert breaker.enter("click", "a.com", now) is None
        breaker.leave("click", "a.com", now, succeeded=False)
        wait = breaker.enter("click", "a.com", now)
        assert wait is not None
        pauses.append(wait)
        now += wait
    assert pauses == [30.0, 60.0, 120.0, 240.0, LONGEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS]


def test_a_trial_of_which_nothing_is_known_lets_the_next_one_try() -> None:
    breaker = Breaker()
    fail(breaker, 0.0)
    assert breaker.enter("click", "a.com", PAUSE_SECONDS) is None
    breaker.leave("click", "a.com", PAUSE_SECONDS, succeeded=None)
    assert breaker.enter("click", "a.com", PAUSE_SECONDS) is None
    assert breaker.enter("click", "a.com", PAUSE_SECONDS + TRIAL_SECONDS) is None


def test_calls_that_were_under_way_when_it_opened_do_not_prolong_it() -> None:
    breaker = Breaker()
    fail(breaker, 0.0)
    breaker.leave("click", "a.com", 1.0, succeeded=False)
    assert breaker.enter("click", "a.com", 1.0) == PAUSE_SECONDS - 1.0


def test_closed_circuits_can_be_forgotten_and_open_ones_stay() -> None:
    breaker = Breaker()
    fail(breaker, 0.0)
    breaker.leave("click", "b.com", 0.0, succeeded=False)
    breaker.forget_closed()
    assert breaker.enter("click", "a.com", 0.0) == PAUSE_SECONDS
    for _ in range(FAILURES - 1):
        breaker.leave("click", "b.com", 0.0, succeeded=False)
    assert breaker.enter("click", "b.com", 0.0) is None
