"""A pairing code is good for one browser, a few minutes and a few tries."""

from __future__ import annotations

from browser_pilot.bridge.pairing import LIFE_SECONDS, MOST_TRIES, PairingDesk


def test_without_an_open_code_nobody_gets_in() -> None:
    assert PairingDesk().take_try(0) is None


def test_a_code_ends_with_its_time() -> None:
    desk = PairingDesk()
    code = desk.open(100)
    assert desk.take_try(100 + LIFE_SECONDS - 1) == code.code
    assert desk.take_try(100 + LIFE_SECONDS) is None


def test_a_code_ends_with_its_tries() -> None:
    desk = PairingDesk()
    desk.open(0)
    assert [desk.take_try(1) is not None for _ in range(MOST_TRIES + 1)] == [True] * MOST_TRIES + [False]


def test_a_code_that_served_lets_no_second_browser_in() -> None:
    desk = PairingDesk()
    desk.open(0)
    desk.close()
    assert desk.take_try(1) is None


def test_a_new_code_voids_the_one_before() -> None:
    desk = PairingDesk()
    first, second = desk.open(0), desk.open(0)
    assert first.code != second.code
    assert desk.take_try(1) == second.code
