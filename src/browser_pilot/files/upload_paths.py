"""Which files of this machine an agent may give to a site: freely, with approval, or never.

A path is evaluated after every symbolic link is resolved. Files in the upload folders are free. Some places are never
uploaded, even with approval: the hub's home, system folders, hidden files and folders, keys, and browser profiles.
Everything else requires approval with the full path. A folder is evaluated by everything inside it.

Not here: the approval itself (``policy.decide``). Reads the file system, so it runs in a thread. A hard link cannot be
recognized: it is the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.errors import FileDenied, InvalidArgument

MAX_FOLDER_ENTRIES = 10_000

_SYSTEM_FOLDERS = ("/etc", "/proc", "/sys", "/dev", "/run", "/boot", "/private/etc", "/System", "C:/Windows")
# Folders of keys and of Chrome profiles that are not hidden by a dot, on macOS and Windows.
_SECRET_FOLDERS = frozenset({"keychains", "keyrings", "user data"})
# Files that only a profile of Chrome or Firefox has.
_PROFILE_FILES = ("Local State", "Login Data", "key4.db", "cookies.sqlite")
_KEY_SUFFIXES = frozenset({".kdbx", ".keychain-db", ".p12", ".pfx", ".ppk", ".jks", ".keystore"})
_PRIVATE_KEY_MARK = b"PRIVATE KEY"
_SNIFFED_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file or folder to upload: its real path, and whether it is in an upload folder."""

    path: Path
    free: bool


@dataclass(frozen=True, slots=True)
class UploadPaths:
    """``home`` is the hub's, ``profiles`` are the browser profiles in the settings."""

    home: Path
    upload_dirs: tuple[Path, ...]
    profiles: tuple[Path, ...] = ()

    def check(self, paths: Sequence[str]) -> tuple[LocalFile, ...]:
        """Raises ``FileDenied`` for a file that is never uploaded, and ``InvalidArgument`` for one that is missing."""
        return tuple(self._check_one(path) for path in paths)

    def _check_one(self, given: str) -> LocalFile:
        try:
            path = Path(os.path.realpath(Path(given).expanduser()))
        except (OSError, ValueError, RuntimeError):
            raise _missing(given) from None
        folder = self._upload_folder(path)
        # Before it is looked up: an agent must not learn which protected files exist.
        self._require_allowed(path, folder)
        try:
            is_folder = path.is_dir()
            if not is_folder and not path.is_file():
                raise _missing(given)
        except OSError:
            raise _missing(given) from None
        if is_folder:
            self._check_folder(path)
        elif folder is None and _is_private_key(path):
            raise _denied(path, "it holds a private key")
        return LocalFile(path, free=folder is not None)

    def _upload_folder(self, path: Path) -> Path | None:
        real = (Path(os.path.realpath(folder)) for folder in self.upload_dirs)
        return next((folder for folder in real if path.is_relative_to(folder)), None)

    def _require_allowed(self, path: Path, folder: Path | None) -> None:
        evaluated = path if folder is None else path.relative_to(folder)
        if any(part.startswith(".") for part in evaluated.parts):
            raise _denied(path, "it is hidden or in a hidden folder")
        if folder is not None:
            return
        if reason := self._protected_place(path):
            raise _denied(path, reason)

    def _protected_place(self, path: Path) -> str | None:
        if path.is_relative_to(os.path.realpath(self.home)):
            return "it is in the home of Browser Pilot"
        if any(path.is_relative_to(folder) for folder in _SYSTEM_FOLDERS):
            return "it is in a system folder"
        if any(path.is_relative_to(os.path.realpath(folder)) for folder in self.profiles):
            return "it is in a browser profile"
        if any(part.casefold() in _SECRET_FOLDERS for part in path.parts[:-1]):
            return "it is in a folder of keys or browser profiles"
        if path.suffix.casefold() in _KEY_SUFFIXES:
            return "it is a key store"
        if any((folder / name).is_file() for folder in path.parents for name in _PROFILE_FILES):
            return "it is in a browser profile"
        return None

    def _check_folder(self, folder: Path) -> None:
        """Everything inside counts: the browser sends it all."""
        for number, path in enumerate(_entries(folder)):
            if number >= MAX_FOLDER_ENTRIES:
                raise _denied(folder, f"it has more than {MAX_FOLDER_ENTRIES:,} files")
            real = Path(os.path.realpath(path))
            upload_folder = self._upload_folder(real)
            self._require_allowed(real, upload_folder)
            if not real.is_relative_to(folder):
                raise _denied(path, "it is a link that leads out of the folder")
            if upload_folder is None and real.is_file() and _is_private_key(real):
                raise _denied(real, "it holds a private key")


def _entries(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:
            entries: Iterable[os.DirEntry[str]] = sorted(found, key=lambda entry: entry.name)
    except OSError:
        raise _denied(folder, "it cannot be read") from None
    for entry in entries:
        yield Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(Path(entry.path))


def _is_private_key(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _PRIVATE_KEY_MARK in file.read(_SNIFFED_BYTES)
    except OSError:
        raise _denied(path, "it cannot be read") from None


def _denied(path: Path, reason: str) -> FileDenied:
    return FileDenied(
        f"{str(path)!r} is never uploaded: {reason}.",
        suggestions=["Ask the user to copy the file into an upload folder (`files.upload_dirs`) if it may be sent."],
    )


def _missing(given: str) -> InvalidArgument:
    return InvalidArgument(f"There is no file {given!r}.", suggestions=["Give the path of a file that exists."])
