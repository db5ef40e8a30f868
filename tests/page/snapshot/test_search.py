"""Finding rows by text, role and regular expression."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.pages.find import find
from browser_pilot.pages.view import Row, View

ROWS = (
    Row("e1", "heading", "Prices"),
    Row("e2", "text", parts=("Basic ", Row("e3", "link", "Buy now"), " for $10")),
    Row("e4", "text", "Nothing here"),
    Row("e5", "button", "Buy  all"),
    Row("e6", "textbox", "Amount", value="42"),
)
VIEW = View("https://a.test/", "t", "d", ROWS)


def test_a_text_is_found_in_rows_lines_and_values_with_its_neighbours() -> None:
    found = find(VIEW, query="BUY")
    assert found.matches == ("e2", "e5")
    assert [row.ref for row in found.view.rows] == ["e1", "e2", "e4", "e5", "e6"]
    assert find(VIEW, query="42").matches == ("e6",)
    assert find(VIEW, query="buy all", context_rows=0).view.rows == (ROWS[3],)


def test_role_and_text_must_both_fit() -> None:
    assert find(VIEW, query="buy", role="button").matches == ("e5",)
    assert find(VIEW, role="link").matches == ("e2",)


def test_a_regular_expression_is_searched() -> None:
    assert find(VIEW, regex=r"\$\d+").matches == ("e2",)
    with pytest.raises(InvalidArgument):
        find(VIEW, regex="(")


def test_nothing_to_find_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        find(VIEW)
