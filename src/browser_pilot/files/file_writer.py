"""Writes a streamed file atomically: it appears under its name complete, or not at all.

The bytes go to a hidden file in the same folder, which gets its name once everything is on the disk; no existing file
is ever overwritten. After an error the hidden file is removed; ``remove_partial_files`` removes those of a hub that was
killed. Blocking: call it from a thread when the event loop must not wait.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.errors import DownloadFailed
from browser_pilot.home import PRIVATE_FILE, make_private_folder

from .mark_of_the_web import write_mark

PREFIX, SUFFIX = ".browser-pilot-", ".part"
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_LINKS_UNSUPPORTED = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})


@dataclass(frozen=True, slots=True)
class SavedFile:
    path: Path
    size: int
    sha256: str


class PartialFile:
    """A file that is being written. ``finish`` or ``discard`` ends it."""

    def __init__(self, folder: Path, *, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self.size = 0
        self._path: Path | None = None
        self._descriptor: int | None = None

    def write(self, data: bytes) -> None:
        """Raises ``DownloadFailed`` when the file gets too large or the disk is full."""
        if self.size + len(data) > self._max_bytes:
            raise too_large_error(self._max_bytes)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._open(), left) :]
        except OSError as error:
            raise _write_error(self._folder, error) from error
        self.size += len(data)
        self._digest.update(data)

    def finish(self, names: Iterable[str], *, source: str, referrer: str) -> SavedFile:
        """Give the file the first free name. ``source`` and ``referrer`` go into its mark of the web."""
        try:
            descriptor = self._open()
            path = self._partial_path()
            os.fsync(descriptor)
            write_mark(path, source=source, referrer=referrer)
            # Write the mark before the file gets its name; Windows also needs the descriptor closed.
            self._close()
            named = _move_to_free_name(path, (self._folder / name for name in names))
            self._path = None
            _sync_folder(self._folder)
        except OSError as error:
            raise _write_error(self._folder, error) from error
        return SavedFile(named, self.size, self._digest.hexdigest())

    def discard(self) -> None:
        self._close()
        path, self._path = self._path, None
        if path is not None:
            path.unlink(missing_ok=True)

    def _open(self) -> int:
        if self._descriptor is None:
            path = make_private_folder(self._folder) / f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}{SUFFIX}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
            self._descriptor = os.open(path, flags, PRIVATE_FILE)
            self._path = path
        return self._descriptor

    def _partial_path(self) -> Path:
        if self._path is None:
            raise FileNotFoundError(errno.ENOENT, "the partial file was removed")
        return self._path

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)


def too_large_error(max_bytes: int) -> DownloadFailed:
    return DownloadFailed(
        f"The file is too large: more than {max_bytes >> 20:,} MB.",
        suggestions=["Your user can raise files.max_download_mb."],
        metadata={"reason": "too_large"},
    )


def rename_to_free_name(path: Path, names: Iterable[str]) -> Path:
    """Give a complete file the first free name in its folder."""
    return _move_to_free_name(path, (path.with_name(name) for name in names))


def remove_partial_files(folder: Path) -> int:
    """Remove the partial files of a hub that was killed; returns how many."""
    parts = list(folder.glob(f"{PREFIX}*{SUFFIX}")) if folder.is_dir() else []
    for part in parts:
        with suppress(OSError):
            part.unlink()
    return len(parts)


def _move_to_free_name(path: Path, candidates: Iterable[Path]) -> Path:
    for candidate in candidates:
        try:
            os.link(path, candidate)
        except FileExistsError:
            continue
        except OSError as error:
            if error.errno not in _LINKS_UNSUPPORTED:
                raise
            if candidate.exists():
                continue
            path.rename(candidate)
            return candidate
        path.unlink()
        return candidate
    raise FileExistsError(errno.EEXIST, "every name is taken")


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_error(folder: Path, error: OSError) -> DownloadFailed:
    if error.errno in _DISK_FULL:
        return DownloadFailed(
            f"The disk is full: the file could not be saved in {folder}.",
            suggestions=["Free some space, or let your user set files.download_dir to another disk."],
            metadata={"reason": "disk_full"},
        )
    return DownloadFailed(
        f"The file could not be saved in {folder}: {error.strerror or error}.",
        suggestions=["Your user can set files.download_dir to a folder that can be written."],
        metadata={"reason": "not_writable"},
    )
