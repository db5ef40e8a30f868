"""The amount of money in an approval request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.approvals.amounts import find_amount


@pytest.mark.parametrize(
    ("labels", "fields", "expected"),
    [
        (["Pay $10.50"], {}, "$10.50"),
        (["Jetzt 1.299,00 € zahlen"], {}, "1.299,00 €"),
        (["Send USD 500 now"], {}, "USD 500"),
        (["Pay now"], {"amount": "999", "currency": "EUR", "to": "Bob"}, "999 EUR (amount)"),
        (["Pay now"], {"Betrag": "12,50"}, "12,50 (Betrag)"),
        (["Pay $1"], {"total": "$999"}, "$999 (total), $1"),
        (["Pay now", "Save 10 rows"], {"amount": "all", "phone": "123"}, ""),
        ([], {}, ""),
    ],
)
def test_an_amount_is_recognized(labels: list[str], fields: dict[str, str], expected: str) -> None:
    assert find_amount(labels, fields) == expected


def test_a_line_of_the_form_counts_if_it_names_an_amount() -> None:
    assert find_amount(["Pay now"], {}, ["Tea 3.00 EUR", "Total: 49.00 EUR", "Order 17"]) == "49.00 EUR"


@given(
    st.lists(st.text(max_size=300), max_size=3), st.dictionaries(st.text(max_size=20), st.text(max_size=60), max_size=5)
)
def test_any_text_is_accepted(labels: list[str], fields: dict[str, str]) -> None:
    find_amount(labels, fields)
