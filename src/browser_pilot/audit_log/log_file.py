"""The hub's own log files: those of Python's logging, in the home's `logs` folder. Not the audit log."""

from __future__ import annotations

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from browser_pilot.config.settings import LoggingSettings
from browser_pilot.home import PRIVATE_FILE, make_private_folder

MEGABYTE = 1_048_576
ROTATED_FILES = 3


class PrivateLogFile(RotatingFileHandler):
    """A rotating log file that only its owner can read, like the rotated files beside it."""

    def __init__(self, path: Path, settings: LoggingSettings) -> None:
        make_private_folder(path.parent)
        super().__init__(path, maxBytes=0, backupCount=ROTATED_FILES, encoding="utf-8")
        self.apply_settings(settings)

    def apply_settings(self, settings: LoggingSettings) -> None:
        """The size in the settings is for all files together."""
        self.maxBytes = settings.max_size_mb * MEGABYTE // (ROTATED_FILES + 1)

    def _open(self) -> TextIOWrapper:
        os.close(os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT, PRIVATE_FILE))
        Path(self.baseFilename).chmod(PRIVATE_FILE)
        return super()._open()


def log_to_file(path: Path, settings: LoggingSettings) -> None:
    """Write what the process logs to this file from now on."""
    handler = PrivateLogFile(path, settings)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(settings.level.upper())
