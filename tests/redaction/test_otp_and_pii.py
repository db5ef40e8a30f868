"""One-time codes by their context, and e-mail addresses and phone numbers by the setting."""

from __future__ import annotations

import pytest

from browser_pilot.redaction.otp_and_pii import find_one_time_codes
from browser_pilot.redaction.placeholders import replace_spans
from browser_pilot.redaction.redactor import Redactor

REDACTOR = Redactor()


def test_e_mail_and_phone_are_hidden_only_where_the_setting_says_so() -> None:
    text = "Write to ann.b@mail.example.org or call +49 30 901820, (555) 123-4567; in 2026-07-28 at 10.0.0.1"
    assert REDACTOR.text(text) == text
    assert Redactor(emails=True, phones=True).text(text) == (
        "Write to [redacted:email] or call [redacted:phone], [redacted:phone]; in 2026-07-28 at 10.0.0.1"
    )


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("your verification code is 123456.", "your verification code is [redacted:code]."),
        ("ihr code lautet 1234-5678", "ihr code lautet [redacted:code]"),
        ("123 456 is your login code", "[redacted:code] is your login code"),
        ("您的验证码是 123456", "您的验证码是 [redacted:code]"),
        ("your zip code is 94103", "your zip code is 94103"),
        ("error code 1001", "error code 1001"),
    ],
)
def test_a_one_time_code_is_found_by_its_context(text: str, redacted: str) -> None:
    assert replace_spans(text, list(find_one_time_codes(text))) == redacted
