"""Summaries of samples, and the order of the competitors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bench.stats import Sample, rotated, summarise


def test_a_summary_holds_the_median_and_the_extremes() -> None:
    (summary,) = summarise([Sample("click", "us", ms=ms, tokens=10) for ms in (30.0, 10.0, 90.0)])
    assert (summary.ms, summary.fastest_ms, summary.slowest_ms, summary.tokens) == (30.0, 10.0, 90.0, 10)
    assert summary.rounds == 3


def test_a_failed_round_counts_as_a_failure_and_not_as_a_time() -> None:
    samples = [
        Sample("click", "us", ms=10.0),
        Sample("click", "us", failure="gone"),
        Sample("click", "us", failure="gone"),
    ]
    (summary,) = summarise(samples)
    assert (summary.ms, summary.rounds, summary.failures) == (10.0, 1, ("gone",))


def test_a_summary_of_failures_has_no_values() -> None:
    (summary,) = summarise([Sample("click", "us", failure="gone")])
    assert (summary.ms, summary.tokens, summary.amount, summary.rounds) == (None, None, None, 0)


def test_each_competitor_and_page_has_its_own_summary() -> None:
    samples = [Sample("see", name, subject=page, ms=1.0) for name in ("us", "them") for page in ("a", "b")]
    assert [(s.competitor, s.subject) for s in summarise(samples)] == [
        ("us", "a"),
        ("us", "b"),
        ("them", "a"),
        ("them", "b"),
    ]


@given(st.lists(st.integers()), st.integers(min_value=0))
def test_rotation_keeps_the_cyclic_order(items: list[int], by: int) -> None:
    turned = rotated(items, by)
    assert sorted(turned) == sorted(items)
    if items:
        assert turned[0] == items[by % len(items)]
        assert rotated(turned, len(items) - by % len(items)) == items
