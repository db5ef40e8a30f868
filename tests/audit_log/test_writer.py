"""When the log cannot be written, actions are refused and nothing is lost."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Generator
from pathlib import Path

import pytest

from browser_pilot.audit_log import database
from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditQuery
from browser_pilot.errors import RecordsUnavailable
from browser_pilot.redaction.redactor import Redactor

from .logs import DONE, changing, click, opened


@contextlib.contextmanager
def file_size_limit(size_bytes: int) -> Generator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_refuses_actions_and_loses_nothing(log: AuditLog, tmp_path: Path) -> None:
    acknowledged: list[int] = [await log.intent(click())]
    refused = 0
    with file_size_limit(AuditLogFiles.in_home(tmp_path).database.with_name("activity.db-wal").stat().st_size + 20_000):
        for _ in range(100):
            try:
                acknowledged.append(await log.intent(click()))
            except RecordsUnavailable as error:
                assert not error.retryable
                refused += 1
        with pytest.raises(RecordsUnavailable):
            await log.outcome(acknowledged[0], DONE)
        assert log.problem is not None
    assert refused > 0
    fresh = await log.intent(click())
    assert log.problem is None
    found = {action.seq: action.outcome for action in log.reader().search(AuditQuery(limit=None))}
    assert set(found) == {*acknowledged, fresh}
    late = found[acknowledged[0]]
    assert late and late["status"] == "ok", "the outcome that failed was written with the next row"
    assert log.reader().verify().ok


async def test_a_folder_that_cannot_be_written_refuses_actions(tmp_path: Path) -> None:
    (tmp_path / "activity.db").mkdir()
    log = AuditLog(tmp_path, Redactor())
    problem = await log.start()
    assert problem is not None and problem.code == "RECORDS_UNAVAILABLE"
    with pytest.raises(RecordsUnavailable):
        await log.intent(click())
    (tmp_path / "activity.db").rmdir()
    await log.intent(click())
    await log.close()


async def test_a_damaged_file_refuses_actions_and_is_not_overwritten(tmp_path: Path) -> None:
    garbage = os.urandom(8192)
    (tmp_path / "activity.db").write_bytes(garbage)
    log = AuditLog(tmp_path, Redactor())
    with pytest.raises(RecordsUnavailable, match="damaged"):
        await log.intent(click())
    await log.close()
    assert (tmp_path / "activity.db").read_bytes() == garbage


async def test_a_locked_file_refuses_actions_until_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 20)
    async with opened(tmp_path) as log:
        await log.intent(click())
        with changing(tmp_path) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(RecordsUnavailable, match="locked"):
                await log.intent(click())
            other.rollback()
        await log.intent(click())


async def test_a_closed_log_refuses_actions(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, Redactor())
    await log.start()
    await log.close()
    await log.close()
    with pytest.raises(RecordsUnavailable):
        await log.intent(click())


async def test_a_log_of_a_newer_version_is_refused_and_not_changed(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await log.intent(click())
    with changing(tmp_path) as connection:
        connection.execute("PRAGMA user_version = 99")
    async with opened(tmp_path) as log:
        with pytest.raises(RecordsUnavailable, match="newer"):
            await log.intent(click())


async def test_a_migration_that_fails_half_way_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as log:
        await log.intent(click())
    broken = (*database.MIGRATIONS, ("CREATE TABLE more (x)", "THIS IS NO SQL"))
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", broken)
        async with opened(tmp_path) as log:
            assert log.problem is not None
    async with opened(tmp_path) as log:
        await log.intent(click())
        assert log.reader().verify().ok
