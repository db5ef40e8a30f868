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
