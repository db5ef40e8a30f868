"""Verification detects every change of the audit log's files."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.hash_chain import ChainHead
from browser_pilot.errors import RecordsUnavailable

from .logs import DONE, changing, click, opened, reader, remove_database


async def test_a_log_that_is_removed_while_running_is_continued_with_a_gap(log: AuditLog, tmp_path: Path) -> None:
    await log.intent(click())
    remove_database(tmp_path)
    seq = await log.intent(click())
    assert seq in {action.seq for action in log.reader().search()}
    assert not log.reader().verify().ok


TAMPERINGS = {
    "edit": "UPDATE entries SET body = replace(body, 'browser_click', 'browser_hover') WHERE seq = 3",
    "broken edit": "UPDATE entries SET body = 'x' WHERE seq = 3",
    "hash": "UPDATE entries SET hash = zeroblob(32) WHERE seq = 3",
    "hash of another type": "UPDATE entries SET hash = 'x' WHERE seq = 3",
    "body of another type": "UPDATE entries SET body = x'ff00' WHERE seq = 3",
    "no head": "DELETE FROM head",
    "no id": "DELETE FROM log",
    "another table": "ALTER TABLE entries RENAME TO others",
    "removal": "DELETE FROM entries WHERE seq = 3",
    "removal of the first": "DELETE FROM entries WHERE seq = 1",
    "truncation": "DELETE FROM entries WHERE seq > 7",
    "emptying": "DELETE FROM entries",
    "exchange": "UPDATE entries SET seq = CASE seq WHEN 3 THEN -4 ELSE -3 END WHERE seq IN (3, 4)",
    "appending": "INSERT INTO entries (seq, body, hash) VALUES (99, '{}', zeroblob(32))",
}


@pytest.mark.parametrize("statement", TAMPERINGS.values(), ids=TAMPERINGS.keys())
async def test_tampering_with_the_database_is_found(tmp_path: Path, statement: str) -> None:
    async with opened(tmp_path) as log:
        for _ in range(5):
            await log.outcome(await log.intent(click()), DONE)
    assert reader(tmp_path).verify().ok
    with changing(tmp_path) as connection:
        connection.execute(statement)
        if statement.startswith("UPDATE entries SET seq"):
            connection.execute("UPDATE entries SET seq = -seq WHERE seq < 0")
    assert not reader(tmp_path).verify().ok
    async with opened(tmp_path) as log:
        with contextlib.suppress(RecordsUnavailable):
            await log.outcome(await log.intent(click()), DONE)
        assert not log.reader().verify().ok, "going on does not hide it"


async def test_truncation_with_a_forged_head_row_is_found_and_stays_found(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        for _ in range(5):
            await log.outcome(await log.intent(click()), DONE)
    with changing(tmp_path) as connection:
        connection.execute("DELETE FROM entries WHERE seq > 6")
        connection.execute("UPDATE head SET (seq, hash) = (SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1)")
    report = reader(tmp_path).verify()
    assert [problem.text for problem in report.problems] == ["Rows 7 to 10 are missing."]
    for _ in range(2):
        async with opened(tmp_path) as log:
            await log.outcome(await log.intent(click()), DONE)
            report = log.reader().verify()
            assert "rows 7 to 10 existed before" in report.problems[0].text


@pytest.mark.parametrize("victim", ["activity.head", "activity.key"])
async def test_a_removed_or_changed_anchor_is_found(tmp_path: Path, victim: str) -> None:
    async with opened(tmp_path) as log:
        await log.intent(click())
    original = (tmp_path / victim).read_text()
    (tmp_path / victim).write_text(original.replace(original[-10], "z"))
    assert not reader(tmp_path).verify().ok
    (tmp_path / victim).unlink()
    assert not reader(tmp_path).verify().ok
    (tmp_path / victim).write_text(original)
    assert reader(tmp_path).verify().ok


async def test_a_head_stored_elsewhere_must_still_be_in_the_chain(log: AuditLog) -> None:
    await log.intent(click())
    noted = log.reader().verify().head
    await log.intent(click())
    assert log.reader().verify(known_heads=[noted]).ok
    assert not log.reader().verify(known_heads=[ChainHead(noted.seq, bytes(32))]).ok
