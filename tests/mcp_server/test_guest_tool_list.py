"""The guests' part of ``tools/list``: bounded, and shared fairly between guests."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.mcp_server.guest_tool_list import MAX_BYTES, ListedTool, fit


def tool(number: int, *, text: int = 50, properties: int = 2) -> ListedTool:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "d" * text} for n in range(properties)},
        "required": ["p0"],
    }
    return ListedTool(f"guest__t{number}", "Title", "x" * text, schema)


def size(tools: list[ListedTool]) -> int:
    return sum(one.size for one in tools)


def test_guests_that_fit_are_listed_as_they_are() -> None:
    guests = {"a": [tool(n) for n in range(20)], "b": [tool(n) for n in range(5)]}

    assert fit(guests) == guests


def test_a_guest_that_is_too_large_is_shortened_and_its_neighbours_are_not() -> None:
    guests = {"small": [tool(n) for n in range(10)], "huge": [tool(n, text=4000, properties=12) for n in range(64)]}

    shown = fit(guests)

    assert shown["small"] == guests["small"]
    assert size(shown["small"]) + size(shown["huge"]) <= MAX_BYTES
    assert len(shown["huge"]) == 64
    assert shown["huge"][0].name == "guest__t0"
    assert shown["huge"][0].schema["properties"]["p3"] == {"type": "string"}
    assert shown["huge"][0].schema["required"] == ["p0"]


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3),
        st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 30)), max_size=64),
        max_size=8,
    )
)
def test_all_guests_together_never_exceed_the_limit(given_sizes: dict[str, list[tuple[int, int]]]) -> None:
    guests = {
        name: [tool(n, text=text, properties=properties) for n, (text, properties) in enumerate(sizes)]
        for name, sizes in given_sizes.items()
    }

    shown = fit(guests)

    assert sum(map(size, shown.values())) <= MAX_BYTES
    for name, tools in guests.items():
        names = [one.name for one in shown[name]]
        assert names == [one.name for one in tools][: len(names)]
        if size(tools) <= MAX_BYTES // len(guests):
            assert shown[name] == tools
