"""A line in the activity log for what a person did at the command line. The hub may be writing it meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from ..config import Settings, load_settings
from ..errors import RecordsUnavailable, SettingsError
from ..records.activity import ActivityLog
from ..records.entries import Note
from ..records.keeping import retention_of
from ..records.redaction import Redactor
from .output import WARNING, err, say

BY = "command line"


def record(home: Path, text: str, details: Mapping[str, object]) -> None:
    """Write it down. What was done stays done when that fails, and the person is told."""
    try:
        settings = load_settings(home=home)
    except SettingsError:
        settings = Settings()
    log = ActivityLog(home, Redactor(), retention=retention_of(settings.logging), recover=False)
    try:
        asyncio.run(_write(log, Note(text, by=BY, details=details)))
    except RecordsUnavailable as problem:
        say(WARNING, f" It is not in the activity log: {problem.message}", to=err)


async def _write(log: ActivityLog, note: Note) -> None:
    try:
        await log.note(note)
    finally:
        await log.close()
