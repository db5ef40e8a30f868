"""Calls in plain words, and texts that a page cannot use to deceive."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.approvals import words
from browser_pilot.approvals.words import LONGEST_VALUE, plain


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("browser_click", {"element": {"role": "button", "name": "Pay now"}}, "Click button “Pay now”"),
        ("browser_click", {"element": "#pay"}, "Click the element #pay"),
        ("browser_type", {"element": {"css": "input"}, "text": "x"}, "Type into the element input"),
        ("browser_press", {"key": "Enter"}, "Press a key"),
        ("browser_fill_form", {"fields": []}, "Fill in a form"),
        ("browser_interact", {"action": "click", "element": "e1"}, "Click the element e1"),
        ("browser_new_thing", {}, "New thing"),
    ],
)
def test_a_call_is_told_in_words(tool: str, arguments: dict[str, object], said: str) -> None:
    assert words.what(tool, arguments) == said


def test_the_name_on_the_page_goes_before_the_argument() -> None:
    assert words.what("browser_click", {"element": "e7"}, element="button “Pay”") == "Click button “Pay”"


def test_values_are_shown_shortened() -> None:
    shown = words.values({"text": "x" * 1000, "values": ["a", "b"], "element": "e1", "clear": True, "key": None})
    assert len(shown.pop("text")) == LONGEST_VALUE
    assert shown == {"values": "a, b"}


def test_a_form_is_a_plan() -> None:
    fields = [{"element": {"role": "textbox", "name": "Email"}, "value": "a@b"}, {"element": "#c", "value": True}]
    assert words.steps({"fields": fields}) == ("textbox “Email”: a@b", "the element #c: True")
    assert words.steps({"fields": "nonsense"}) == ()
    assert words.steps({}) == ()


@pytest.mark.parametrize(
    ("element", "lasting"),
    [
        ("e12", False),
        ("f2e4", False),
        ({"ref": "e1"}, False),
        (None, False),
        ("", False),
        ("#pay", True),
        ({"role": "a"}, True),
    ],
)
def test_a_ref_is_no_lasting_name(element: object, lasting: bool) -> None:
    assert words.is_lasting_name(element) is lasting


@given(st.text())
def test_plain_text_only_shows(text: str) -> None:
    shown = plain(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert len(shown.splitlines()) <= 1
    assert plain(shown) == shown
