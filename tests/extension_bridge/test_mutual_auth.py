"""Proofs fit one side, one key and one exchange; codes are what people mean by them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.bridge.proofs import (
    CODE_ALPHABET,
    Exchange,
    fresh_code,
    fresh_nonce,
    is_proof,
    key_from_code,
    plain_code,
    proof_of,
)

KEY = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"
EXCHANGE = Exchange("b1", "browser-nonce", "hub-nonce")


def test_a_proof_is_accepted_for_what_it_was_made_for() -> None:
    assert is_proof(proof_of(KEY, "browser", EXCHANGE), KEY, "browser", EXCHANGE)


def test_a_proof_of_one_side_is_none_of_the_other() -> None:
    assert not is_proof(proof_of(KEY, "hub", EXCHANGE), KEY, "browser", EXCHANGE)


@given(st.sampled_from(["browser", "browser_nonce", "hub_nonce"]), st.text(min_size=1, max_size=20))
def test_a_proof_fits_no_other_exchange(field: str, value: str) -> None:
    other = replace(EXCHANGE, **{field: value})
    if other != EXCHANGE:
        assert not is_proof(proof_of(KEY, "browser", EXCHANGE), KEY, "browser", other)


def test_a_code_stands_for_another_key_in_every_exchange() -> None:
    code = fresh_code()
    keys = {key_from_code(code, replace(EXCHANGE, hub_nonce=fresh_nonce())) for _ in range(3)}
    assert len(keys) == 3


@given(st.text(CODE_ALPHABET, min_size=8, max_size=8), st.data())
def test_a_code_may_be_typed_in_any_case_and_with_any_separators(letters: str, data: st.DataObject) -> None:
    typed = "".join(
        data.draw(st.sampled_from([letter, letter.lower(), f"{letter} ", f"{letter}-"])) for letter in letters
    )
    assert plain_code(typed) == letters


def test_letters_that_look_like_digits_are_taken_for_them() -> None:
    assert plain_code("oil-0") == "0110"
