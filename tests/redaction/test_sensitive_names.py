"""Sensitive names: certain ones, hints, and names that only describe a secret."""

from __future__ import annotations

import pytest

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.redaction.sensitive_names import FieldHints, SensitiveName, match_sensitive_name

REDACTOR = Redactor()


def test_a_field_value_is_hidden_by_the_hints_of_its_field() -> None:
    assert REDACTOR.field("hunter2", FieldHints(type="password")) == "[redacted:password]"
    assert REDACTOR.field("", FieldHints(type="password")) == ""
    assert REDACTOR.field("Ann", FieldHints(type="text", name="first_name")) == "Ann"
    assert REDACTOR.field("SUMMER24", FieldHints(name="promo_code")) == "SUMMER24"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("password", SensitiveName("password", certain=True)),
        ("accessToken", SensitiveName("token", certain=True)),
        ("API_KEY", SensitiveName("key", certain=True)),
        ("userpassword", SensitiveName("password", certain=True)),
        ("contraseña", SensitiveName("password", certain=True)),
        ("请输入密码", SensitiveName("password", certain=True)),
        ("oneTimeCode", SensitiveName("code", certain=True)),
        ("key", SensitiveName("key", certain=False)),
        ("session", SensitiveName("token", certain=False)),
        ("password_hint", None),
        ("token_count", None),
        ("keyboard", None),
        ("", None),
    ],
)
def test_a_name_is_certain_a_hint_or_ordinary(name: str, expected: SensitiveName | None) -> None:
    assert match_sensitive_name(name) == expected
