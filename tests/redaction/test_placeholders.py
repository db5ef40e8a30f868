"""Placeholders say what was hidden, and redaction never matches inside one."""

from __future__ import annotations

from browser_pilot.redaction.placeholders import Span, extract_placeholders, outside_of, replace_spans
from browser_pilot.redaction.redactor import Redactor

REDACTOR = Redactor()


def test_a_placeholder_says_what_was_hidden() -> None:
    assert REDACTOR.text("card 4111 1111 1111 1111, password=hunter2") == (
        "card [redacted:card], password=[redacted:password]"
    )


def test_a_known_secret_that_occurs_in_a_placeholder_changes_no_placeholder() -> None:
    redactor = Redactor()
    redactor.add_secrets(["redacted", "card"])
    once = redactor.text("the card 4111111111111111 was redacted")
    assert once == "the [redacted:secret] [redacted:card] was [redacted:secret]"
    assert redactor.text(once) == once


def test_a_forged_placeholder_does_not_protect_text_next_to_it() -> None:
    redacted = REDACTOR.text("password=[redacted:password]hunter2 [redacted:evil] token=abc[redacted:token]def")
    assert "abc" not in redacted
    assert "def" not in redacted


def test_spans_that_overlap_become_one() -> None:
    spans = [Span(3, 5, "key"), Span(0, 4, "token"), Span(1, 2, "card"), Span(6, 7, "code")]
    assert replace_spans("abcdefgh", spans) == "[redacted:token]f[redacted:code]h"


def test_a_span_around_a_placeholder_is_hidden_on_both_sides_of_it() -> None:
    bare, placeholders = extract_placeholders("ab[redacted:card]cd")
    assert bare == "ab\0cd"
    assert list(outside_of(Span(0, 5, "token"), placeholders)) == [Span(0, 2, "token"), Span(3, 5, "token")]
