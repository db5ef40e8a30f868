"""Descriptions of tool calls, and removal of deceptive characters from page text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.approvals import descriptions
from browser_pilot.approvals.descriptions import plain_text


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("browser_click", {"element": {"role": "button", "name": "Pay now"}}, "Click button “Pay now”"),
        ("browser_click", {"element": "#pay"}, "Click the element #pay"),
        ("browser_type", {"element": {"css": "input"}, "text": "x"}, "Type into the element input"),
        ("browser_press", {"key": "Enter"}, "Press a key"),
        ("browser_fill_form", {"fields": []}, "Fill in a form"),
        ("browser_interact", {"action": "click", "element": "e1"}, "Click the element e1"),
        ("browser_evaluate", {"expression": "1"}, "Run a script"),
        ("browser_evaluate", {"expression": "1", "element": "e1"}, "Run a script on the element e1"),
        ("browser_new_thing", {}, "New thing"),
    ],
)
def test_a_call_is_described(tool: str, arguments: dict[str, object], expected: str) -> None:
    assert descriptions.describe_action(tool, arguments) == expected


def test_the_name_on_the_page_takes_precedence_over_the_argument() -> None:
    assert (
        descriptions.describe_action("browser_click", {"element": "e7"}, element="button “Pay”") == "Click button “Pay”"
    )


@given(st.text(max_size=2_000), st.lists(st.text(max_size=600), max_size=5))
def test_values_are_shown_in_full(text: str, values: list[str]) -> None:
    arguments = {"text": text, "expression": text, "values": values, "element": "e1", "clear": True, "key": None}
    assert descriptions.shown_values(arguments) == {"text": text, "values": ", ".join(values), "expression": text}
    assert descriptions.describe_steps({"fields": [{"element": "#a", "value": text}]}) == (f"the element #a: {text}",)


def test_the_fields_of_a_form_are_steps() -> None:
    fields = [{"element": {"role": "textbox", "name": "Email"}, "value": "a@b"}, {"element": "#c", "value": True}]
    assert descriptions.describe_steps({"fields": fields}) == ("textbox “Email”: a@b", "the element #c: True")
    assert descriptions.describe_steps({"fields": "nonsense"}) == ()
    assert descriptions.describe_steps({}) == ()


@pytest.mark.parametrize(
    ("element", "stable"),
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
def test_a_ref_is_not_a_stable_selector(element: object, stable: bool) -> None:
    assert descriptions.is_stable_selector(element) is stable


@given(st.text())
def test_plain_text_has_no_control_or_formatting_characters(text: str) -> None:
    shown = plain_text(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert len(shown.splitlines()) <= 1
    assert plain_text(shown) == shown
