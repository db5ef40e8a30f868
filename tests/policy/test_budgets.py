"""Budgets are never exceeded, never charged twice, and survive a restart."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.policy.budgets import Budgets, Charge, Reservation, Shortage

SESSION = Charge("session s", 3)
DOMAIN = Charge("domain d", 2, 3600.0)


def reserved(outcome: Reservation | Shortage) -> Reservation:
    assert isinstance(outcome, Reservation)
    return outcome


def test_a_session_budget_is_not_renewed() -> None:
    budgets = Budgets()
    for now in range(3):
        reserved(budgets.reserve([SESSION], now))
    assert budgets.reserve([SESSION], 1e9) == Shortage(SESSION, None)


def test_used_returns_the_steps_of_a_session() -> None:
    budgets = Budgets()
    assert budgets.used(SESSION.key) == 0
    reserved(budgets.reserve([SESSION], 0.0))
    assert budgets.used(SESSION.key) == 1


def test_an_hourly_limit_admits_a_step_exactly_when_the_oldest_is_an_hour_old() -> None:
    budgets = Budgets()
    reserved(budgets.reserve([DOMAIN], 100.0))
    reserved(budgets.reserve([DOMAIN], 200.0))
    shortage = budgets.check([DOMAIN], 300.0)
    assert shortage == Shortage(DOMAIN, 3400.0)
    assert budgets.check([DOMAIN], 3699.9) is not None
    reserved(budgets.reserve([DOMAIN], 3700.0))
    assert budgets.check([DOMAIN], 3700.0) == Shortage(DOMAIN, 100.0)


def test_a_lowered_limit_waits_for_all_steps_above_it() -> None:
    budgets = Budgets()
    for now in (0.0, 10.0, 20.0):
        budgets.reserve([Charge("d", 3, 60.0)], now)
    assert budgets.check([Charge("d", 1, 60.0)], 30.0) == Shortage(Charge("d", 1, 60.0), 50.0)
    assert budgets.check([Charge("d", 0, 60.0)], 30.0) == Shortage(Charge("d", 0, 60.0), None)


def test_a_rejected_reservation_charges_no_account() -> None:
    budgets = Budgets()
    full = Charge("full", 0)
    assert isinstance(budgets.reserve([SESSION, DOMAIN, full], 0.0), Shortage)
    assert len(budgets) == 0


def test_an_account_listed_twice_is_charged_once() -> None:
    budgets = Budgets()
    one_left = Charge("d", 1, 60.0)
    assert len(reserved(budgets.reserve([one_left, one_left], 0.0)).charges) == 1
    assert budgets.check([Charge("d", 2, 60.0)], 0.0) is None


def test_a_refund_returns_the_charges_once() -> None:
    budgets = Budgets()
    kept = reserved(budgets.reserve([SESSION, DOMAIN], 1.0))
    budgets.refund(reserved(budgets.reserve([SESSION, DOMAIN], 2.0)))
    assert len(budgets) == 2
    assert budgets.check([Charge("session s", 1)], 2.0) is not None
    budgets.refund(kept)
    budgets.refund(kept)
    assert budgets.check([Charge("session s", 1), Charge("domain d", 1, 3600.0)], 2.0) is None


def test_a_clock_that_jumps_back_frees_nothing() -> None:
    budgets = Budgets()
    for _ in range(2):
        reserved(budgets.reserve([DOMAIN], 10_000.0))
    assert budgets.check([DOMAIN], 5_000.0) == Shortage(DOMAIN, 8_600.0)


async def test_concurrent_calls_never_exceed_the_limit() -> None:
    budgets = Budgets()
    limit = Charge("session s", 7)
    done = 0

    async def step() -> None:
        nonlocal done
        if isinstance(budgets.reserve([limit], 0.0), Reservation):
            await asyncio.sleep(0)
            done += 1

    await asyncio.gather(*(step() for _ in range(100)))
    assert done == 7


@given(st.lists(st.tuples(st.sampled_from(["reserve", "refund"]), st.floats(0, 5000)), max_size=60), st.integers(0, 5))
def test_no_window_ever_holds_more_than_its_limit(steps: list[tuple[str, float]], limit: int) -> None:
    budgets = Budgets()
    charge = Charge("d", limit, 1000.0)
    open_reservations: list[Reservation] = []
    now = 0.0
    for action, delay in steps:
        now += delay
        if action == "reserve":
            outcome = budgets.reserve([charge], now)
            if isinstance(outcome, Reservation):
                open_reservations.append(outcome)
            elif outcome.retry_after_seconds is not None:
                assert isinstance(budgets.reserve([charge], now), Shortage)
                later = now + outcome.retry_after_seconds
                assert budgets.check([charge], later + 1e-6) is None
        elif open_reservations:
            budgets.refund(open_reservations.pop())
        recent = [one for one in open_reservations if one.at > now - 1000.0]
        assert len(recent) <= limit


def test_usage_survives_a_restart() -> None:
    budgets = Budgets()
    for now in range(2):
        reserved(budgets.reserve([SESSION, DOMAIN], now))
    again = Budgets()
    again.restore({SESSION.key: 2}, {DOMAIN.key: [0.0, 1.0]})
    assert again.check([DOMAIN], 2.0) == budgets.check([DOMAIN], 2.0) == Shortage(DOMAIN, 3598.0)
    reserved(again.reserve([SESSION], 3.0))
    assert again.check([SESSION], 3.0) == Shortage(SESSION, None)


def test_expired_windows_are_removed() -> None:
    budgets = Budgets()
    budgets.reserve([SESSION, DOMAIN], 0.0)
    budgets.reserve([Charge("new", 1, 3600.0)], 3000.0)
    budgets.prune(3600.0)
    assert len(budgets) == 2
