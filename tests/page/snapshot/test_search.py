"""Searching rows by text, role and regular expression."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.snapshot.rows import Row, Snapshot
from browser_pilot.page.snapshot.search import search_rows

ROWS = (
    Row("e1", "heading", "Prices"),
    Row("e2", "text", parts=("Basic ", Row("e3", "link", "Buy now"), " for $10")),
    Row("e4", "text", "Nothing here"),
    Row("e5", "button", "Buy  all"),
    Row("e6", "textbox", "Amount", value="42"),
)
VIEW = Snapshot("https://a.test/", "t", "d", ROWS)


def test_a_text_is_found_in_rows_lines_and_values_with_its_neighbours() -> None:
    found = search_rows(VIEW, query="BUY")
    assert found.matches == ("e2", "e5")
    assert [row.ref for row in found.snapshot.rows] == ["e1", "e2", "e4", "e5", "e6"]
    assert search_rows(VIEW, query="42").matches == ("e6",)
    assert search_rows(VIEW, query="buy all", context_rows=0).snapshot.rows == (ROWS[3],)


def test_role_and_text_must_both_match() -> None:
    assert search_rows(VIEW, query="buy", role="button").matches == ("e5",)
    assert search_rows(VIEW, role="link").matches == ("e2",)


def test_a_regular_expression_is_searched() -> None:
    assert search_rows(VIEW, regex=r"\$\d+").matches == ("e2",)
    with pytest.raises(InvalidArgument):
        search_rows(VIEW, regex="(")


def test_a_search_without_criteria_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        search_rows(VIEW)
