"""Parsing and formatting of times and durations."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.cli.time_format import format_duration, parse_time
from browser_pilot.errors import InvalidArgument

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90s", NOW - timedelta(seconds=90)),
        ("5 min", NOW - timedelta(minutes=5)),
        ("2h", NOW - timedelta(hours=2)),
        ("1w", NOW - timedelta(days=7)),
        ("09:30", NOW.replace(hour=9, minute=30)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=NOW.tzinfo)),
        ("2026-11-01T10:00", datetime(2026, 11, 1, 10, tzinfo=NOW.tzinfo)),
        ("2026-11-01T10:00Z", datetime(2026, 11, 1, 12, tzinfo=NOW.tzinfo)),
    ],
)
def test_times_are_parsed(text: str, expected: datetime) -> None:
    assert parse_time(text, NOW) == expected


@given(st.text())
def test_any_other_text_is_rejected(text: str) -> None:
    try:
        assert parse_time(text, NOW).tzinfo is not None
    except InvalidArgument as error:
        assert error.suggestions


@pytest.mark.parametrize(("ms", "text"), [(0.4, "0 ms"), (999, "999 ms"), (3210, "3.2 s"), (90_000, "1.5 min")])
def test_a_duration_is_shown_in_a_suitable_unit(ms: float, text: str) -> None:
    assert format_duration(ms) == text
