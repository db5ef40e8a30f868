"""What changed between two approval requests of one call."""

from __future__ import annotations

from dataclasses import replace

from browser_pilot.approvals.changes import NOT_SHOWN, changes_since

from .requests import approval_request

REQUEST = replace(
    approval_request(),
    receiver="good.example/pay",
    amount="1 EUR",
    form={"amount": "1", "to": "Ada"},
    values={"text": "x"},
)


def test_every_shown_difference_is_named() -> None:
    changed = replace(
        REQUEST,
        receiver="evil.example/pay",
        amount="999 EUR",
        form={"amount": "999", "fee": "5"},
        values={"text": "y"},
        steps=("Name: b",),
    )
    assert changes_since(REQUEST, changed) == (
        "receiver: good.example/pay → evil.example/pay",
        "amount: 1 EUR → 999 EUR",
        "text: x → y",
        "amount: 1 → 999",
        "to: Ada → (nothing)",
        "fee: (nothing) → 5",
        "steps: (nothing) → Name: b",
    )


def test_a_difference_that_is_not_shown_is_admitted() -> None:
    assert changes_since(REQUEST, replace(REQUEST, binding="another")) == (NOT_SHOWN,)
