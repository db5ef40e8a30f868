"""Names of guests' tools: MCP allows more than many model APIs do."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.guests.installed.tool_names import MAX_NAME_CHARACTERS, exposed_names

NAMES = st.lists(st.text("abcAB01_-./", min_size=1, max_size=128), unique=True, max_size=20)


def test_dots_and_slashes_become_underscores() -> None:
    assert exposed_names("news", ["time.now", "a/b", "plain"]) == {
        "time.now": "news__time_now",
        "a/b": "news__a_b",
        "plain": "news__plain",
    }


def test_a_name_that_needs_no_change_is_never_taken_by_another() -> None:
    names = exposed_names("news", ["time.now", "time_now", "time/now"])

    assert names["time_now"] == "news__time_now"
    assert len(set(names.values())) == 3


@given(NAMES)
def test_names_are_distinct_short_and_in_characters_that_all_apis_take(tools: list[str]) -> None:
    names = exposed_names("a-guest-with-a-long-name", tools)

    assert list(names) == tools
    assert len(set(names.values())) == len(tools)
    for name in names.values():
        assert len(name) <= MAX_NAME_CHARACTERS
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
    assert names == exposed_names("a-guest-with-a-long-name", tools)
