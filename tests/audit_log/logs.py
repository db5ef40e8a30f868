"""A log in a folder of its own, and ways to get at it: shared by the tests of the activity log."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from pathlib import Path

from browser_pilot.records.activity import ActivityLog
from browser_pilot.records.database import Files
from browser_pilot.records.entries import Intent, Outcome
from browser_pilot.records.reading import LogReader
from browser_pilot.records.redaction import Redactor


def click(tool: str = "browser_click", **changes: str) -> Intent:
    facts = {"client": "c1", "session": "s1", "tab": "t1", "url": "https://a.example/x", "site": "a.example"} | changes
    return replace(Intent(client="c1", tool=tool, arguments={"element": "e1"}), **facts)  # pyright: ignore[reportArgumentType]


DONE = Outcome("ok", duration_ms=12.34, summary="Clicked.")


@contextlib.asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[ActivityLog]:
    activity = ActivityLog(home, Redactor())
    await activity.start()
    try:
        yield activity
    finally:
        await activity.close()


def reader(home: Path) -> LogReader:
    return LogReader(Files.in_home(home))


def all_bytes(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.iterdir())


def modes(home: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}


def remove_database(home: Path) -> None:
    for path in home.glob("activity.db*"):
        path.unlink()


@contextlib.contextmanager
def changing(home: Path) -> Generator[sqlite3.Connection]:
    """The database, opened by someone who should not."""
    with contextlib.closing(sqlite3.connect(Files.in_home(home).database)) as connection:
        yield connection
        connection.commit()
