"""Labels are folded: no case, accents or invisible characters; look-alike letters have the same skeleton."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.policy.confusables import may_imitate
from browser_pilot.policy.text_folding import fold, fold_identifier, skeleton


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Löschen!", "loschen"),
        ("  PAY\u200b  now… ", "pay now"),
        ("Pay_now (2)", "pay now 2"),
        ("Ｐａｙ", "pay"),
        ("Straße", "strasse"),
        ("log‑out", "log out"),
        ("Satın AL", "satin al"),
        ("Zapłać", "zaplac"),
        ("결제", "결제"),
        ("デ", "デ"),
        ("हटाएँ", "हटाएं"),
        ("ย้อนกลับ", "ย้อนกลับ"),
        ("pa\u0e31y", "pay"),
        ("پرداخت\u200cها", "پرداختها"),
        ("", ""),
    ],
)
def test_labels_are_folded(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize("name", ["cardNumber", "card_number", "card-number", "Card Number"])
def test_identifiers_are_split_into_words(name: str) -> None:
    assert fold_identifier(name) == "card number"


@given(st.text(max_size=400))
def test_folding_is_idempotent(text: str) -> None:
    once = fold(text)
    assert fold(once) == once or len(once) > 200


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=200))
def test_ascii_is_folded_like_any_text(text: str) -> None:
    assert fold(text) == fold(text + "\u200b")[: len(fold(text))]


@pytest.mark.parametrize(
    "imitation", ["Рау nоw", "ΡΑΥ ΝOW", "𝐏𝐚𝐲 𝐧𝐨𝐰", "Ｐａｙ ｎｏｗ", "🇵🇦🇾 now", "ꓑꓮꓬ now", "pay n0w", "P\u0430y now"]
)
def test_texts_that_look_alike_have_the_same_skeleton(imitation: str) -> None:
    assert skeleton(imitation) == skeleton("Pay now")


@pytest.mark.parametrize(
    ("imitation", "text"), [("DeIete", "Delete"), ("Confirrn", "Confirm"), ("vvithdraw", "withdraw")]
)
def test_basic_letters_that_look_alike_have_the_same_skeleton(imitation: str, text: str) -> None:
    assert may_imitate(imitation)
    assert skeleton(imitation) == skeleton(text)


def test_plain_text_imitates_nothing() -> None:
    assert not may_imitate("Pay now")
    assert not may_imitate("立即支付")
