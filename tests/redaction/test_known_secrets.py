"""Known secrets are hidden in every encoding."""

from __future__ import annotations

import json
from base64 import b64encode
from urllib.parse import quote, quote_plus

from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.redaction.redactor import Redactor


def test_a_known_secret_is_hidden_in_every_encoding() -> None:
    value = "pa ss/\"wörd'&<+%"
    redactor = Redactor()
    redactor.add_secrets([value])
    raw = value.encode()
    forms = [
        value,
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
        quote(value, safe="").lower(),
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        json.dumps(json.dumps(value)),
        "pa ss/&quot;wörd&#x27;&amp;&lt;+%",
        b64encode(raw).decode(),
        raw.hex(),
        raw.hex().upper(),
    ]
    for form in forms:
        assert redactor.text(f"<<{form}>>").strip('<>"\\') == "[redacted:secret]", form


@settings(deadline=None)
@given(before=st.binary(max_size=12), after=st.binary(max_size=12))
def test_a_known_secret_inside_a_longer_base64_text_cannot_be_read_back(before: bytes, after: bytes) -> None:
    value = "correct horse battery"
    redactor = Redactor()
    redactor.add_secrets([value])
    assert "[redacted:secret]" in redactor.text(b64encode(before + value.encode() + after).decode())


def test_a_value_too_short_to_search_for_hides_nothing() -> None:
    redactor = Redactor()
    redactor.add_secrets(["abc", ""])
    assert redactor.text("abcdef abc") == "abcdef abc"
