"""Searching rows by text, role and regular expression."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InvalidArgument, Timeout
from browser_pilot.page import bounded_regex
from browser_pilot.page.snapshot.rows import Row, Snapshot
from browser_pilot.page.snapshot.search import search_rows
from tests.loop_blocks import ticks_during

ROWS = (
    Row("e1", "heading", "Prices"),
    Row("e2", "text", parts=("Basic ", Row("e3", "link", "Buy now"), " for $10")),
    Row("e4", "text", "Nothing here"),
    Row("e5", "button", "Buy  all"),
    Row("e6", "textbox", "Amount", value="42"),
)
VIEW = Snapshot("https://a.test/", "t", "d", ROWS)


async def test_a_text_is_found_in_rows_lines_and_values_with_its_neighbours() -> None:
    found = await search_rows(VIEW, query="BUY")
    assert found.matches == ("e2", "e5")
    assert [row.ref for row in found.snapshot.rows] == ["e1", "e2", "e4", "e5", "e6"]
    assert (await search_rows(VIEW, query="42")).matches == ("e6",)
    assert (await search_rows(VIEW, query="buy all", context_rows=0)).snapshot.rows == (ROWS[3],)


async def test_rows_beside_a_match_are_short_and_left_out_where_there_are_many_matches() -> None:
    long = Row("e1", "text", parts=("Terms " * 50, Row("e2", "link", "more")))
    field = Row("e4", "textbox", "Note", value="words " * 50)
    view = Snapshot("https://a.test/", "t", "d", (long, Row("e3", "button", "Buy"), field))
    found = await search_rows(view, query="buy")
    assert [len(row.label()) for row in found.snapshot.rows] == [80, 3, 4]
    assert len(found.snapshot.rows[2].value or "") == 80
    assert (await search_rows(view, query="terms")).snapshot.rows[0] == long
    rows = tuple(Row(f"e{n}", "button", "Buy" if n % 3 else "Other") for n in range(30))
    many = await search_rows(Snapshot("https://a.test/", "t", "d", rows), query="buy")
    assert tuple(row.ref for row in many.snapshot.rows) == many.matches


async def test_role_and_text_must_both_match() -> None:
    assert (await search_rows(VIEW, query="buy", role="button")).matches == ("e5",)
    assert (await search_rows(VIEW, role="link")).matches == ("e2",)


async def test_a_regular_expression_is_searched() -> None:
    assert (await search_rows(VIEW, regex=r"\$\d+")).matches == ("e2",)
    with pytest.raises(InvalidArgument):
        await search_rows(VIEW, regex="(")


async def test_a_search_without_criteria_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        await search_rows(VIEW)


async def test_a_regular_expression_without_end_ends_at_a_deadline_while_the_loop_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_regex, "REGEX_TIMEOUT_SECONDS", 0.5)
    view = Snapshot("https://a.test/", "t", "d", (Row("e1", "text", "a" * 60 + "!"),))
    async with ticks_during() as ticks:
        with pytest.raises(Timeout, match="regular expression"):
            await search_rows(view, regex="(a+)+$")
    assert ticks.count >= 5


async def test_a_search_in_many_rows_lets_the_loop_go_on() -> None:
    view = Snapshot("https://a.test/", "t", "d", tuple(Row(f"e{n}", "text", "word " * 20) for n in range(200_000)))
    async with ticks_during() as ticks:
        await search_rows(view, query="nowhere")
    assert ticks.count >= 5
