"""Header redaction: by the header's name, and for header lines inside other text."""

from __future__ import annotations

import pytest

from browser_pilot.redaction.headers import find_headers, redact_header, sensitive_header_kind
from browser_pilot.redaction.placeholders import replace_spans
from browser_pilot.redaction.redactor import Redactor


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Cookie", "cookie"),
        ("set-cookie", "cookie"),
        ("Authorization", "credentials"),
        ("Proxy-Authorization", "credentials"),
        ("X-Forwarded-Client-Cert", "credentials"),
        ("X-API-Key", "key"),
        ("X-CSRF-Token", "token"),
        ("X_Session", "token"),
        ("Ocp-Apim-Subscription-Key", "key"),
        ("Idempotency-Key", None),
        ("Sec-WebSocket-Key", None),
        ("X-Hotkey", None),
        ("Content-Type", None),
        ("Referer", None),
    ],
)
def test_a_header_is_sensitive_by_its_name(name: str, kind: str | None) -> None:
    assert sensitive_header_kind(name) == kind
    assert redact_header(name, "abc") == (f"[redacted:{kind}]" if kind else None)


@pytest.mark.parametrize("value", ["", "  ", "[redacted:cookie]"])
def test_an_empty_or_redacted_value_needs_no_placeholder(value: str) -> None:
    assert redact_header("Cookie", value) is None
    assert Redactor().header("Cookie", value) == value


def test_the_value_of_an_ordinary_header_is_redacted_as_text_or_as_a_url() -> None:
    redactor = Redactor()
    assert redactor.header("Referer", "https://a.example/?token=abc") == "https://a.example/?token=[redacted:token]"
    assert redactor.header("Content-Disposition", "inline; password=hunter2") == "inline; password=[redacted:password]"
    headers = {"Content-Type": "text/html", "Idempotency-Key": "42", "Referer": "https://a.example/?q=1"}
    assert redactor.headers(headers) == headers


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Cookie: a=b; c=d\nAccept: */*", "Cookie: [redacted:cookie]\nAccept: */*"),
        ("Set-Cookie: sid=1; Path=/", "Set-Cookie: [redacted:cookie]"),
        ('curl -H "Authorization: Basic abc" x', 'curl -H "Authorization: [redacted:credentials]" x'),
        ('{"authorization": "Bearer abc", "a": 1}', '{"authorization": "[redacted:credentials]", "a": 1}'),
        ("Authorization: required", "Authorization: required"),
        ("Cookie: we use cookies", "Cookie: we use cookies"),
    ],
)
def test_a_header_line_is_found_in_other_text(text: str, redacted: str) -> None:
    assert replace_spans(text, list(find_headers(text, text.lower()))) == redacted
