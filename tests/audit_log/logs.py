"""Audit logs in a temporary home, and access to their files: shared by the tests of the audit log."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from pathlib import Path

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.entries import AuditIntent, AuditOutcome
from browser_pilot.audit_log.reader import AuditLogReader
from browser_pilot.redaction.redactor import Redactor


def click(tool: str = "browser_click", **changes: str) -> AuditIntent:
    facts = {"client": "c1", "session": "s1", "tab": "t1", "url": "https://a.example/x", "site": "a.example"} | changes
    return replace(AuditIntent(client="c1", tool=tool, arguments={"element": "e1"}), **facts)  # pyright: ignore[reportArgumentType]


DONE = AuditOutcome("ok", duration_ms=12.34, summary="Clicked.")


@contextlib.asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[AuditLog]:
    activity = AuditLog(home, Redactor())
    await activity.start()
    try:
        yield activity
    finally:
        await activity.close()


def reader(home: Path) -> AuditLogReader:
    return AuditLogReader(AuditLogFiles.in_home(home))


def all_bytes(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.iterdir())


def modes(home: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}


def remove_database(home: Path) -> None:
    for path in home.glob("activity.db*"):
        path.unlink()


@contextlib.contextmanager
def changing(home: Path) -> Generator[sqlite3.Connection]:
    """The database, opened behind the writer's back."""
    with contextlib.closing(sqlite3.connect(AuditLogFiles.in_home(home).database)) as connection:
        yield connection
        connection.commit()
