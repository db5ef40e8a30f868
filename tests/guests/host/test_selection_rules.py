"""Rules of a selection: what is accepted, and what the guest's author is told otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from browser_pilot.guests.host.host_api import CapturePage, parse_params
from browser_pilot.guests.host.host_errors import HostError
from browser_pilot.guests.host.selection_rules import MAX_DEPTH, MAX_RULES


def nested(depth: int) -> Any:
    rule: Any = "p"
    for _ in range(depth):
        rule = ["div", {"inner": rule}] if depth % 2 else {"inner": rule}
    return rule


@pytest.mark.parametrize(
    "rules",
    [
        {"title": "h1"},
        {"rows": ["tr"]},
        {"rows": ["tr", {"cells": ["td"], "link": "a@href", "id": "@id"}]},
        {"a": {"b": {"c": "p"}}},
        {"deep": nested(MAX_DEPTH - 1)},
    ],
)
def test_rules_are_accepted(rules: dict[str, Any]) -> None:
    assert parse_params(CapturePage, {"url": "https://a.test/", "select": rules}).select == rules


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ({}, "at least 1 item"),
        ({"a": ""}, "a selector has 1 to 1000 characters"),
        ({"a": "x" * 1_001}, "a selector has 1 to 1000 characters"),
        ({"a": []}, "a list has a selector and"),
        ({"a": ["tr", "td", "th"]}, "a list has a selector and"),
        ({"a": [["tr"], "td"]}, "a selector has 1 to 1000 characters"),
        ({"a": 5}, "a rule is a selector"),
        ({"a": None}, "a rule is a selector"),
        ({"deep": nested(MAX_DEPTH + 1)}, "levels deep"),
        ({str(number): "p" for number in range(MAX_RULES)}, "at most 200 rules"),
        ("h1", "valid dictionary"),
    ],
)
def test_other_rules_are_refused_with_the_reason(rules: object, problem: str) -> None:
    with pytest.raises(HostError, match=problem) as refused:
        parse_params(CapturePage, {"url": "https://a.test/", "select": rules})
    assert refused.value.code == "ERR_INVALID_PARAMS"
