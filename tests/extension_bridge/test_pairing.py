"""A pairing code is valid for one browser, some minutes and some tries."""

from __future__ import annotations

from browser_pilot.extension_bridge.pairing import CODE_TTL_SECONDS, MAX_TRIES, PairingCodes


def test_there_is_no_code_until_one_is_opened() -> None:
    assert PairingCodes().use_try(0) is None


def test_a_code_expires() -> None:
    codes = PairingCodes()
    code = codes.open(100)
    assert codes.use_try(100 + CODE_TTL_SECONDS - 1) == code.code
    assert codes.use_try(100 + CODE_TTL_SECONDS) is None


def test_a_code_is_void_after_its_tries() -> None:
    codes = PairingCodes()
    codes.open(0)
    assert [codes.use_try(1) is not None for _ in range(MAX_TRIES + 1)] == [True] * MAX_TRIES + [False]


def test_a_used_code_is_void() -> None:
    codes = PairingCodes()
    codes.open(0)
    codes.close()
    assert codes.use_try(1) is None


def test_a_new_code_voids_the_previous_one() -> None:
    codes = PairingCodes()
    first, second = codes.open(0), codes.open(0)
    assert first.code != second.code
    assert codes.use_try(1) == second.code
