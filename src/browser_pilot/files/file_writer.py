"""Writes a file as it comes, so that it is there whole under its name, or not at all.

The bytes go to a hidden file in the same folder, which gets its name once everything is on the disk; no file that is
there already is ever overwritten. Whatever goes wrong, the hidden file is removed; those of a hub that was killed are
removed by ``clear_leftovers``. Blocking: to be called from a thread where the event loop must not wait.
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

from ..errors import DownloadFailed
from ..home import PRIVATE_FILE, make_private_folder
from .marks import mark_of_the_web

PREFIX, SUFFIX = ".browser-pilot-", ".part"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})


@dataclass(frozen=True, slots=True)
class SavedFile:
    path: Path
    size: int
    sha256: str


class Part:
    """A file on its way. ``finish`` or ``discard`` ends it; after that it is neither."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._digest = hashlib.sha256()
        self.size = 0
        self._path: Path | None = None
        self._descriptor: int | None = None

    def write(self, data: bytes) -> None:
        """Raises ``DownloadFailed`` when there is too much of it, or no room."""
        if self.size + len(data) > self._most_bytes:
            raise too_large(self._most_bytes)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._open(), left) :]
        except OSError as error:
            raise _not_written(self._folder, error) from error
        self.size += len(data)
        self._digest.update(data)

    def finish(self, names: Iterable[str], *, source: str, referrer: str) -> SavedFile:
        """Give the file the first of the names that is free. ``source`` and ``referrer`` go into its mark."""
        try:
            descriptor = self._open()
            path = self._part()
            os.fsync(descriptor)
            mark_of_the_web(path, source=source, referrer=referrer)
            # The mark must be on the disk before the file has its name, and the descriptor closed for Windows.
            self._close()
            named = _give_name(path, (self._folder / name for name in names))
            self._path = None
            _sync_folder(self._folder)
        except OSError as error:
            raise _not_written(self._folder, error) from error
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

    def _part(self) -> Path:
        if self._path is None:
            raise FileNotFoundError(errno.ENOENT, "the part is gone")
        return self._path

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)


def too_large(most_bytes: int) -> DownloadFailed:
    return DownloadFailed(
        f"The file is too large: more than {most_bytes >> 20:,} MB.",
        suggestions=["Your user can raise files.max_download_mb."],
        metadata={"reason": "too_large"},
    )


def rename_whole(path: Path, names: Iterable[str]) -> Path:
    """Give a file that is whole the first of the names that is free, in its folder."""
    return _give_name(path, (path.with_name(name) for name in names))


def clear_leftovers(folder: Path) -> int:
    """Remove what was on its way when a hub was killed; how many."""
    parts = list(folder.glob(f"{PREFIX}*{SUFFIX}")) if folder.is_dir() else []
    for part in parts:
        with suppress(OSError):
            part.unlink()
    return len(parts)


def _give_name(path: Path, candidates: Iterable[Path]) -> Path:
    for candidate in candidates:
        try:
            os.link(path, candidate)
        except FileExistsError:
            continue
        except OSError as error:
            if error.errno not in _NO_LINKS:
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


def _not_written(folder: Path, error: OSError) -> DownloadFailed:
    if error.errno in _FULL:
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
