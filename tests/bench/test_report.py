"""The report: rows, sums, failures and targets."""

from __future__ import annotations

import json
from dataclasses import replace

from bench.report import Results, as_json, markdown, rows
from bench.stats import Sample, summarise
from bench.targets import evaluate_targets


def results(*samples: Sample) -> Results:
    summaries = summarise(samples)
    return Results(
        machine={"browser": "chromium 1.2"},
        competitors={"browser-pilot": "1", "playwright-mcp": "2"},
        titles={"start-up": ("start-up", "ms"), "snapshot": ("snapshot", "ms and tokens"), "kept": ("kept", "share")},
        samples=samples,
        summaries=summaries,
        verdicts=evaluate_targets(summaries),
    )


def test_a_row_has_a_cell_for_each_competitor() -> None:
    (row,) = rows(results(Sample("start-up", "playwright-mcp", ms=1234.4)))
    assert (row.title, row.cells) == ("start-up", ("–", "1,234"))


def test_several_pages_have_a_row_each_and_a_row_for_their_sum() -> None:
    table = rows(
        results(
            Sample("snapshot", "browser-pilot", subject="a", ms=10, tokens=1000),
            Sample("snapshot", "browser-pilot", subject="b", ms=20, tokens=500),
        )
    )
    assert [(row.title, row.cells[0]) for row in table] == [
        ("snapshot: a", "10 / 1,000"),
        ("snapshot: b", "20 / 500"),
        ("snapshot: sum of 2", "30 / 1,500"),
    ]


def test_shares_are_averaged_and_not_summed() -> None:
    table = rows(
        results(
            Sample("kept", "browser-pilot", subject="a", amount=1.0),
            Sample("kept", "browser-pilot", subject="b", amount=0.5),
        )
    )
    assert (table[-1].title, table[-1].cells[0]) == ("kept: mean of 2", "75.0%")


def test_a_failure_is_shown_and_makes_the_sum_fail() -> None:
    table = rows(
        results(
            Sample("snapshot", "browser-pilot", subject="a", ms=10, tokens=1000),
            Sample("snapshot", "browser-pilot", subject="b", failure="gone"),
        )
    )
    assert [row.cells[0] for row in table] == ["10 / 1,000", "failed", "failed"]


def test_a_value_with_some_failed_rounds_has_a_star() -> None:
    (row,) = rows(results(Sample("start-up", "browser-pilot", ms=10), Sample("start-up", "browser-pilot", failure="x")))
    assert row.cells[0] == "10*"


def test_markdown_has_the_machine_the_table_the_targets_and_the_failures() -> None:
    text = markdown(
        results(
            Sample("start-up", "browser-pilot", ms=50),
            Sample("start-up", "playwright-mcp", ms=500),
            Sample("snapshot", "browser-pilot", failure="it\nbroke"),
        )
    )
    assert "- browser: chromium 1.2" in text
    assert "| operation | browser-pilot 1 | playwright-mcp 2 |" in text
    assert "| start-up | 50 | 500 |" in text
    assert "| start-up ≤ 0.2 × npx @playwright/mcp | 50 | 100 | 0.50 | ✓ met |" in text
    assert "- browser-pilot, snapshot : it broke" in text


def test_json_keeps_every_sample_and_every_verdict() -> None:
    document = json.loads(as_json(results(Sample("start-up", "browser-pilot", ms=50.5))))
    assert document["samples"][0]["ms"] == 50.5
    assert document["summaries"][0]["rounds"] == 1
    assert document["targets"][0]["met"] is None


def test_a_skipped_competitor_is_listed_with_the_reason() -> None:
    without = replace(results(Sample("start-up", "browser-pilot", ms=1)), absent={"agent-browser": "no\nnetwork"})
    assert "agent-browser was skipped: no network" in markdown(without)
    assert json.loads(as_json(without))["absent"] == {"agent-browser": "no\nnetwork"}


def test_every_target_row_ends_with_its_state() -> None:
    evaluated = results(Sample("start-up", "browser-pilot", ms=1), Sample("start-up", "playwright-mcp", ms=10))
    states = [
        line.rsplit("|", 2)[1].strip() for line in markdown(evaluated).splitlines() if line.startswith("| start-up ≤")
    ]
    assert states == ["✓ met"]
