"""Retention: old rows and rows over the size limit are removed, and the rest still verifies."""

from __future__ import annotations

import asyncio
from pathlib import Path

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.audit_log.reader import AuditQuery
from browser_pilot.audit_log.retention import DAY_MS, Retention
from browser_pilot.redaction.redactor import Redactor

from .logs import DONE, changing, click, reader


async def test_old_rows_are_removed_and_the_rest_still_verifies(tmp_path: Path) -> None:
    now = 1_000_000.0
    log = AuditLog(tmp_path, Redactor(), retention=Retention(days=10), clock=lambda: now)
    await log.start()
    for _ in range(4):
        await log.outcome(await log.intent(click()), DONE)
    now += 11 * DAY_MS / 1000
    kept = await log.intent(click())
    assert await log.prune() == 8
    assert [action.seq for action in log.reader().search() if action.intent["kind"] == "intent"] == [kept]
    assert log.reader().verify().ok
    now += 11 * DAY_MS / 1000
    assert await log.prune() == 0, "an action that is under way is kept"
    await log.outcome(kept, DONE)
    now += 11 * DAY_MS / 1000
    await log.note(AuditNote("later"))
    assert await log.prune() > 0
    assert log.reader().verify().ok
    await log.close()
    with changing(tmp_path) as connection:
        connection.execute("DELETE FROM entries WHERE seq = (SELECT min(seq) FROM entries)")
    assert not reader(tmp_path).verify().ok


async def test_rows_over_the_size_limit_are_removed_automatically(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, Redactor(), retention=Retention(size_mb=0.5))
    await log.start()
    for _ in range(13):
        await asyncio.gather(*(log.note(AuditNote(f"{number} {'word ' * 150}")) for number in range(100)))
    await log.note(AuditNote("last"))
    assert log.reader().search(AuditQuery(limit=1))[0].intent["text"] == "last"
    assert log.reader().verify().ok
    await log.prune()
    await log.close()
    assert (tmp_path / "activity.db").stat().st_size <= 0.5 * 1_048_576
    assert reader(tmp_path).verify().ok
