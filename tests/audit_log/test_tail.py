"""Following the audit log from another process: what is new, and only that."""

from __future__ import annotations

from pathlib import Path

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.audit_log.reader import AuditQuery
from browser_pilot.audit_log.tail import AuditLogTail

from .logs import DONE, click, opened, remove_database


async def test_a_poll_returns_the_actions_that_ended_since_the_previous_one(log: AuditLog, tmp_path: Path) -> None:
    await log.note(AuditNote("first"))
    running = await log.intent(click())
    tail = AuditLogTail(AuditLogFiles.in_home(tmp_path), AuditQuery(limit=10))
    assert [action.seq for action in tail.poll()] == [1, running]
    assert tail.poll() == []
    await log.outcome(running, DONE)
    assert [action.seq for action in tail.poll()] == [running]
    tail.close()


async def test_the_log_may_appear_later_and_may_be_replaced(tmp_path: Path) -> None:
    tail = AuditLogTail(AuditLogFiles.in_home(tmp_path), AuditQuery(limit=10))
    assert tail.poll() == []
    async with opened(tmp_path) as log:
        await log.note(AuditNote("old"))
    assert [action.intent["text"] for action in tail.poll()] == ["old"]
    remove_database(tmp_path)
    assert tail.poll() == []
    async with opened(tmp_path) as log:
        await log.note(AuditNote("new"))
    assert "new" in [action.intent["text"] for action in tail.poll()]
    tail.close()
