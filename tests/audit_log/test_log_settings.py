"""The settings of `[logging]`: the level, the size and the age of log files and of the audit log."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.audit_log.log_file import ROTATED_FILES, PrivateLogFile
from browser_pilot.audit_log.log_settings import apply_logging_settings, enforce_retention, remove_old_log_files
from browser_pilot.audit_log.retention import DAY_MS, Retention
from browser_pilot.config.settings import LoggingSettings
from browser_pilot.redaction.redactor import Redactor

from .logs import modes

DAY = 86_400


@pytest.fixture
def handler(tmp_path: Path) -> Generator[PrivateLogFile]:
    """Attached to the root logger, like the hub's."""
    root = logging.getLogger()
    level = root.level
    handler = PrivateLogFile(tmp_path / "logs" / "hub.log", LoggingSettings(max_size_mb=1))
    root.addHandler(handler)
    try:
        yield handler
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()


def test_log_files_together_stay_within_the_size_and_are_private(handler: PrivateLogFile, tmp_path: Path) -> None:
    for _ in range(3_000):
        handler.emit(logging.LogRecord("x", logging.INFO, "", 0, "x" * 1_000, None, None))
    found = modes(tmp_path / "logs")
    assert set(found) == {"hub.log", *(f"hub.log.{number}" for number in range(1, ROTATED_FILES + 1))}
    assert set(found.values()) == {0o600}
    assert sum(path.stat().st_size for path in (tmp_path / "logs").iterdir()) <= 1_048_576


def test_a_log_file_that_others_could_read_becomes_private(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "hub.log"
    path.parent.mkdir()
    path.touch(0o644)
    path.chmod(0o644)
    PrivateLogFile(path, LoggingSettings()).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_changed_settings_apply_at_once(handler: PrivateLogFile, tmp_path: Path) -> None:
    log = AuditLog(tmp_path, Redactor())
    apply_logging_settings(LoggingSettings(level="error", max_size_mb=40, retention_days=3), log)
    assert logging.getLogger().level == logging.ERROR
    assert handler.maxBytes == 10 * 1_048_576
    assert log.retention == Retention(days=3, size_mb=40)


def test_old_rotated_files_are_removed_and_the_current_one_stays(tmp_path: Path) -> None:
    now = time.time()
    for name, age in (("hub.log", 9), ("hub.log.1", 2), ("hub.log.2", 4), ("notes.txt", 9)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (now - age * DAY, now - age * DAY))
    assert [path.name for path in remove_old_log_files(tmp_path, days=3, now=now)] == ["hub.log.2"]
    assert {path.name for path in tmp_path.iterdir()} == {"hub.log", "hub.log.1", "notes.txt"}


async def test_retention_removes_old_rows_and_files(tmp_path: Path) -> None:
    now = time.time()
    log = AuditLog(tmp_path, Redactor(), clock=lambda: now)
    await log.start()
    await log.note(AuditNote("old"))
    now += 4 * DAY_MS / 1000
    await log.note(AuditNote("new"))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "hub.log.1").touch()
    os.utime(tmp_path / "logs" / "hub.log.1", (1, 1))
    settings = LoggingSettings(retention_days=3)
    apply_logging_settings(settings, log)
    await enforce_retention(tmp_path, settings, log)
    assert next(action.intent["text"] for action in log.reader().search()) == "new"
    assert log.reader().verify().ok
    assert list((tmp_path / "logs").iterdir()) == []
    await log.close()


async def test_a_log_that_cannot_be_written_does_not_stop_maintenance(tmp_path: Path) -> None:
    (tmp_path / "activity.db").mkdir()
    log = AuditLog(tmp_path, Redactor())
    await enforce_retention(tmp_path, LoggingSettings(), log)
    assert log.problem is not None
    await log.close()
