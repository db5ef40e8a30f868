"""The settings of ``[logging]`` in force: how much is logged, how large it may get, and when it goes.

``adopt_logging`` when the settings change, ``keep_records`` in the hub's housekeeping. The log files are those of
Python's logging in the home's `logs` folder; the activity log is the database.
"""

from __future__ import annotations

import logging
import os
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from ..config import LoggingSettings
from ..errors import RecordsUnavailable
from ..home import PRIVATE_FILE, make_private_folder
from .activity import ActivityLog
from .retention import Retention

logger = logging.getLogger(__name__)

DAY_SECONDS = 86_400
MEGABYTE = 1_048_576
OLD_FILES = 3


class PrivateLogFile(RotatingFileHandler):
    """A log file that only its owner can read, and so are the older ones beside it."""

    def __init__(self, path: Path, settings: LoggingSettings) -> None:
        make_private_folder(path.parent)
        super().__init__(path, maxBytes=0, backupCount=OLD_FILES, encoding="utf-8")
        self.adopt(settings)

    def adopt(self, settings: LoggingSettings) -> None:
        """All files together may have the size in the settings."""
        self.maxBytes = settings.max_size_mb * MEGABYTE // (OLD_FILES + 1)

    def _open(self) -> TextIOWrapper:
        os.close(os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT, PRIVATE_FILE))
        Path(self.baseFilename).chmod(PRIVATE_FILE)
        return super()._open()


def retention_of(settings: LoggingSettings) -> Retention:
    return Retention(days=settings.retention_days, size_mb=settings.max_size_mb)


def adopt_logging(settings: LoggingSettings, log: ActivityLog) -> None:
    """Put the settings in force, for the log files and for the activity log."""
    root = logging.getLogger()
    root.setLevel(settings.level.upper())
    for handler in root.handlers:
        if isinstance(handler, PrivateLogFile):
            handler.adopt(settings)
    log.retention = retention_of(settings)


async def keep_records(home: Path, settings: LoggingSettings, log: ActivityLog) -> None:
    """Remove what is too old or too much. What cannot be done now is done next time."""
    remove_old_files(home / "logs", days=settings.retention_days, now=time.time())
    try:
        await log.prune()
    except RecordsUnavailable as problem:
        logger.warning("old records could not be removed: %s", problem)


def remove_old_files(folder: Path, *, days: int, now: float) -> list[Path]:
    """Remove the older log files (`hub.log.1` …) that nobody wrote to for so long; the current ones stay."""
    removed: list[Path] = []
    for path in folder.glob("*.log.*"):
        try:
            if path.stat().st_mtime < now - days * DAY_SECONDS:
                path.unlink()
                removed.append(path)
        except OSError as error:
            logger.warning("%s could not be removed: %s", path.name, error.strerror)
    return removed
