"""Format strings of the console are rendered as a console renders them."""

from __future__ import annotations

import pytest

from browser_pilot.page.observe.console_format import format_message


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["%s is %d years", "Ada", "36.7"], "Ada is 36 years"),
        (["%i of %f", "2", "2.5"], "2 of 2.5"),
        (["%d", "many"], "NaN"),
        (["%cRed%c text", "color: red", ""], "Red text"),
        (["%o and %O", "{a: 1}", "[1, 2]"], "{a: 1} and [1, 2]"),
        (["100%% of %s", "it"], "100% of it"),
        (["%s and %s", "one"], "one and %s"),
        (["%s", "one", "two", "three"], "one two three"),
        (["[HMR] %s", "ready"], "[HMR] ready"),
        (["%s"], "%s"),
        (["no format", "%s"], "no format %s"),
        (["{note: %s}", "x"], "{note: %s} x"),
        (["%s", "%s", "inner"], "%s inner"),
    ],
)
def test_a_format_string_is_filled_with_the_values_behind_it(arguments: list[str], shown: str) -> None:
    assert format_message(" ".join(arguments), arguments) == shown


def test_numbers_of_any_size_are_formatted() -> None:
    assert format_message("", ["%d %i", "1e400", "9" * 5_000]) == "NaN NaN"
