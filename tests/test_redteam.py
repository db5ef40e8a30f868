"""``make redteam``: every kind has tests, and its table counts what was tried and what held."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .attempts import REPORT_VARIABLE, count_attempts, rounds
from .redteam import KINDS, Outcome, files_of, summarize, table

RESULTS = """<testsuites><testsuite>
<testcase classname="tests.a.test_b" name="test_many[x]"/>
<testcase classname="tests.a.test_b" name="test_one"/>
<testcase classname="tests.a.test_b" name="test_bad"><failure/></testcase>
<testcase classname="tests.a.test_b" name="test_long"><skipped/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "floods"])
def test_every_kind_has_tests(kind: str) -> None:
    assert files_of(kind)


def test_attempts_are_those_that_tests_count_else_one_each() -> None:
    attempts = "\n".join(
        json.dumps({"test": test, "tried": tried})
        for test, tried in (("tests/a/test_b.py::test_many[x]", 150), ("tests/a/test_b.py::test_many[x]", 25))
    )
    outcome = summarize("kind", attempts, RESULTS)
    assert (outcome.tried, outcome.held, outcome.skipped) == (177, 176, 1)
    assert outcome.failed == ["test_b::test_bad"] and not outcome.all_held


def test_a_kind_without_results_has_not_held() -> None:
    assert not summarize("kind", "", "").all_held


def test_the_table_has_a_row_for_each_kind_and_a_sum() -> None:
    lines = table([Outcome("a", tried=3_000, held=3_000, seconds=2), Outcome("b", tried=2, held=1)]).splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["a", "3,000", "3,000"],
        ["b", "2", "1"],
        ["all", "3,002", "3,001"],
    ]


def test_attempts_are_counted_only_for_the_red_team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "report.jsonl"
    monkeypatch.delenv(REPORT_VARIABLE, raising=False)
    monkeypatch.setenv("ROUNDS", "7")
    count_attempts(5)
    assert rounds(3) == 3
    monkeypatch.setenv(REPORT_VARIABLE, str(report))
    count_attempts(5)
    assert rounds(3, 9) == 7
    monkeypatch.setenv("ROUNDS", "")
    assert (rounds(3), rounds(3, 9)) == (3, 9)
    assert json.loads(report.read_text())["tried"] == 5
    assert json.loads(report.read_text())["test"].endswith("test_attempts_are_counted_only_for_the_red_team")
