"""Removes old files that tools wrote: screenshots, traces, downloads. Only in folders inside the home.

A folder that the user chose elsewhere may hold other things, and is left alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..config import FOLDERS, FileSettings

DAY_SECONDS = 86_400
MEGABYTE = 1_048_576


@dataclass(frozen=True)
class Kept:
    path: Path
    bytes: int
    changed: float


def too_old(files: Iterable[Kept], *, days: float, total_mb: float, now: float) -> list[Kept]:
    """What has to go: everything older than that, and of the rest the oldest, until it fits. Pure."""
    gone: list[Kept] = []
    left = total_mb * MEGABYTE
    for file in sorted(files, key=lambda one: one.changed, reverse=True):
        left -= file.bytes
        if left < 0 or file.changed < now - days * DAY_SECONDS:
            gone.append(file)
    return gone


def tidy(home: Path, settings: FileSettings) -> int:
    """Remove what is too old or too much; how many files that were."""
    folders = {getattr(settings, name) for name in FOLDERS}
    inside = [folder for folder in folders if folder.resolve().is_relative_to(home.resolve()) and folder.is_dir()]
    files = [kept for folder in inside for path in folder.rglob("*") if (kept := _kept(path)) is not None]
    gone = too_old(files, days=settings.keep_days, total_mb=settings.max_total_mb, now=time.time())
    for file in gone:
        with suppress(OSError):
            file.path.unlink()
    return len(gone)


def _kept(path: Path) -> Kept | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return Kept(path, status.st_size, status.st_mtime) if path.is_file() and not path.is_symlink() else None
