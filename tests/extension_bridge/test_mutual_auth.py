"""A proof is valid for one side, key and handshake; a typed code is normalized."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.extension_bridge.mutual_auth import (
    CODE_ALPHABET,
    Handshake,
    is_valid_proof,
    key_from_code,
    new_code,
    new_nonce,
    normalize_code,
    proof_of,
)

KEY = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"
HANDSHAKE = Handshake("b1", "browser-nonce", "hub-nonce")


def test_a_proof_is_valid_for_its_key_side_and_handshake() -> None:
    assert is_valid_proof(proof_of(KEY, "browser", HANDSHAKE), KEY, "browser", HANDSHAKE)


def test_a_proof_of_one_side_is_invalid_for_the_other() -> None:
    assert not is_valid_proof(proof_of(KEY, "hub", HANDSHAKE), KEY, "browser", HANDSHAKE)


@given(st.sampled_from(["browser", "browser_nonce", "hub_nonce"]), st.text(min_size=1, max_size=20))
def test_a_proof_is_invalid_in_another_handshake(field: str, value: str) -> None:
    other = replace(HANDSHAKE, **{field: value})
    if other != HANDSHAKE:
        assert not is_valid_proof(proof_of(KEY, "browser", HANDSHAKE), KEY, "browser", other)


def test_a_code_gives_another_key_in_every_handshake() -> None:
    code = new_code()
    keys = {key_from_code(code, replace(HANDSHAKE, hub_nonce=new_nonce())) for _ in range(3)}
    assert len(keys) == 3


@given(st.text(CODE_ALPHABET, min_size=8, max_size=8), st.data())
def test_a_code_may_be_typed_in_any_case_and_with_any_separators(letters: str, data: st.DataObject) -> None:
    typed = "".join(
        data.draw(st.sampled_from([letter, letter.lower(), f"{letter} ", f"{letter}-"])) for letter in letters
    )
    assert normalize_code(typed) == letters


def test_letters_that_look_like_digits_are_read_as_digits() -> None:
    assert normalize_code("oil-0") == "0110"
