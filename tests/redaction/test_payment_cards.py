"""Payment card numbers: found in one piece and in groups, and not confused with other numbers."""

from __future__ import annotations

import pytest

from browser_pilot.redaction.payment_cards import find_cards
from browser_pilot.redaction.placeholders import replace_spans


@pytest.mark.parametrize(
    "card",
    [
        "4111111111111111",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "4111%201111%201111%201111",
        "3782 822463 10005",
        "5555\u00a05555\u00a05555\u00a04444",
    ],
)
def test_a_card_number_is_found_in_one_piece_or_in_groups(card: str) -> None:
    text = f"card {card}, thanks"
    assert replace_spans(text, list(find_cards(text))) == "card [redacted:card], thanks"


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",  # wrong check digit
        "1234567812345670",  # no issuer
        "4006381333931",  # a bar code
        "0.4111111111111111",
        "4111 1111-1111 1111",
        "a4111111111111111bcdef0123456789abcdef0123",  # inside a hash
    ],
)
def test_another_number_is_no_card(text: str) -> None:
    assert list(find_cards(text)) == []
