"""Applies the settings of ``[logging]``: level, size and retention.

``apply_logging_settings`` runs when the settings change, ``enforce_retention`` in the hub's maintenance. The log files
are those of Python's logging in the home's `logs` folder; the audit log is the database.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

from browser_pilot.config.settings import LoggingSettings
from browser_pilot.errors import RecordsUnavailable

from .audit_log import AuditLog
from .log_file import PrivateLogFile
from .retention import Retention

logger = logging.getLogger(__name__)

DAY_SECONDS = 86_400


def retention_of(settings: LoggingSettings) -> Retention:
    return Retention(days=settings.retention_days, size_mb=settings.max_size_mb)


def apply_logging_settings(settings: LoggingSettings, log: AuditLog) -> None:
    """Apply the settings to the log files and to the audit log."""
    root = logging.getLogger()
    root.setLevel(settings.level.upper())
    for handler in root.handlers:
        if isinstance(handler, PrivateLogFile):
            handler.apply_settings(settings)
    log.retention = retention_of(settings)


async def enforce_retention(home: Path, settings: LoggingSettings, log: AuditLog) -> None:
    """Remove old log files and audit entries. What fails now is retried next time."""
    remove_old_log_files(home / "logs", days=settings.retention_days, now=time.time())
    try:
        await log.prune()
    except RecordsUnavailable as problem:
        logger.warning("old audit entries could not be removed: %s", problem)


def remove_old_log_files(folder: Path, *, days: int, now: float) -> list[Path]:
    """Remove rotated log files (`hub.log.1` …) last written more than ``days`` ago; the current ones stay."""
    removed: list[Path] = []
    for path in folder.glob("*.log.*"):
        try:
            if path.stat().st_mtime < now - days * DAY_SECONDS:
                path.unlink()
                removed.append(path)
        except OSError as error:
            logger.warning("%s could not be removed: %s", path.name, error.strerror)
    return removed
