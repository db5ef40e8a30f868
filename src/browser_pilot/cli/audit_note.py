"""Writes an audit note for a change made on the command line. The hub may write to the audit log at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.audit_log.log_settings import retention_of
from browser_pilot.config.settings import Settings, load_settings
from browser_pilot.errors import RecordsUnavailable, SettingsError
from browser_pilot.redaction.redactor import Redactor

from .output import WARNING, err, print_line

BY = "command line"


def write_audit_note(home: Path, text: str, details: Mapping[str, object]) -> None:
    """Write a note. A failure is printed as a warning; the change itself stays in effect."""
    try:
        settings = load_settings(home=home)
    except SettingsError:
        settings = Settings()
    log = AuditLog(home, Redactor(), retention=retention_of(settings.logging), recover=False)
    try:
        asyncio.run(_write(log, AuditNote(text, by=BY, details=details)))
    except RecordsUnavailable as problem:
        print_line(WARNING, f" This change is not in the audit log: {problem.message}", to=err)


async def _write(log: AuditLog, note: AuditNote) -> None:
    try:
        await log.note(note)
    finally:
        await log.close()
