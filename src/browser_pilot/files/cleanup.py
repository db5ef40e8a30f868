"""Removes old files that tools wrote: screenshots, traces, downloads. Only in folders inside the home.

A folder that the user chose elsewhere may contain other files, and is left unchanged.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.config.settings import FOLDERS, FileSettings

DAY_SECONDS = 86_400
MEGABYTE = 1_048_576


@dataclass(frozen=True)
class StoredFile:
    path: Path
    bytes: int
    changed: float


def files_to_remove(files: Iterable[StoredFile], *, days: float, total_mb: float, now: float) -> list[StoredFile]:
    """Files older than ``days``, and of the rest the oldest, until ``total_mb`` is stored. Pure."""
    removed: list[StoredFile] = []
    left = total_mb * MEGABYTE
    for file in sorted(files, key=lambda file: file.changed, reverse=True):
        left -= file.bytes
        if left < 0 or file.changed < now - days * DAY_SECONDS:
            removed.append(file)
    return removed


def remove_old_files(home: Path, settings: FileSettings) -> int:
    """Remove files beyond the limits; returns how many."""
    folders = {getattr(settings, name) for name in FOLDERS}
    inside = [folder for folder in folders if folder.resolve().is_relative_to(home.resolve()) and folder.is_dir()]
    files = [stored for folder in inside for path in folder.rglob("*") if (stored := _stored_file(path)) is not None]
    removed = files_to_remove(files, days=settings.keep_days, total_mb=settings.max_total_mb, now=time.time())
    for file in removed:
        with suppress(OSError):
            file.path.unlink()
    return len(removed)


def _stored_file(path: Path) -> StoredFile | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return StoredFile(path, status.st_size, status.st_mtime) if path.is_file() and not path.is_symlink() else None
