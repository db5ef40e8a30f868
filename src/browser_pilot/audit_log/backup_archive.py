"""The zip of a backup, read without trusting it: names and sizes, then the manifest and its seal, then the files.

Nothing but the manifest is unpacked before the caller has checked the seal: an HMAC of the manifest, which has the hash
of every file, with the key of the home that made the backup. Writes nothing except the files that are extracted.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from browser_pilot.errors import InvalidArgument

from .database import AuditLogFiles

MANIFEST_FILE = "manifest.json"
LOG_FILE = "activity.db"
CONFIG_FILE = "config.toml"
SECRETS_FILE = "secrets.sealed"
# With their parsers, so that invalid files are refused.
TEXT_FILES: dict[str, Callable[[str], object]] = {CONFIG_FILE: tomllib.loads, "rules.json": json.loads}
FORMAT = 1

MAX_TEXT_BYTES = 1 << 20
MAX_BYTES = {
    MANIFEST_FILE: 64 << 10,
    **dict.fromkeys(TEXT_FILES, MAX_TEXT_BYTES),
    SECRETS_FILE: 16 << 20,
    LOG_FILE: 1 << 30,
}
# The hashes in a log do not compress, so that no log comes near to this. Small files may.
MAX_COMPRESSION = 50
FREELY_COMPRESSED_BYTES = 4 << 20
_CHUNK_BYTES = 1 << 20

_UNREADABLE = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    NotImplementedError,
    RuntimeError,
    EOFError,
)


class BackupArchive:
    """An open backup whose names, sizes and manifest are plausible; see ``open_backup``."""

    def __init__(self, source: Path, archive: zipfile.ZipFile) -> None:
        self._source = source
        self._archive = archive
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        if MANIFEST_FILE not in sizes or not set(sizes) <= set(MAX_BYTES) or len(sizes) < len(archive.infolist()):
            raise invalid_backup(source, "it is not a backup of Browser Pilot")
        for info in archive.infolist():
            is_bomb = info.file_size > max(FREELY_COMPRESSED_BYTES, MAX_COMPRESSION * info.compress_size)
            if info.file_size > MAX_BYTES[info.filename] or is_bomb:
                raise invalid_backup(source, f"{info.filename} is too large")
        self.manifest = cast("dict[str, object]", json.loads(archive.read(MANIFEST_FILE)))
        if self.manifest.get("format") != FORMAT:
            raise invalid_backup(source, "it was made by another version")
        self._digests = cast("dict[str, str]", self.manifest["files"])
        if set(self._digests) != set(sizes) - {MANIFEST_FILE}:
            raise invalid_backup(source, "files were added or removed")

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(self._digests)

    def has_seal_of(self, home: Path) -> bool:
        """Whether this home made the backup, and nobody changed it."""
        expected, given = seal(home, self.manifest), self.manifest.get("seal")
        return (
            expected is not None and isinstance(given, str) and hmac.compare_digest(given.encode(), expected.encode())
        )

    def read_text(self, file: str) -> str:
        """A text file of the backup; raises if it is not what the manifest says, or not valid."""
        data = self._archive.read(file)
        self._check_digest(file, hashlib.sha256(data).hexdigest())
        text = data.decode("utf-8")
        TEXT_FILES[file](text)
        return text

    def extract(self, folder: Path) -> None:
        """Write all files to a folder; raises if one is not what the manifest says."""
        for file in self._digests:
            if file in TEXT_FILES:
                (folder / file).write_text(self.read_text(file), encoding="utf-8", newline="")
                continue
            digest = hashlib.sha256()
            with self._archive.open(file) as packed, (folder / file).open("wb") as unpacked:
                while chunk := packed.read(_CHUNK_BYTES):
                    digest.update(chunk)
                    unpacked.write(chunk)
            self._check_digest(file, digest.hexdigest())

    def _check_digest(self, file: str, digest: str) -> None:
        if digest != self._digests[file]:
            raise invalid_backup(self._source, f"{file} was changed")


@contextmanager
def open_backup(source: Path) -> Generator[BackupArchive]:
    """Everything that goes wrong while the backup is read is an ``InvalidArgument``."""
    try:
        with zipfile.ZipFile(source) as archive:
            yield BackupArchive(source, archive)
    except _UNREADABLE as error:
        raise invalid_backup(source, f"it cannot be read ({error})") from None


def seal(home: Path, manifest: dict[str, object]) -> str | None:
    """The HMAC of a manifest with the key of a home; None if it has no key yet."""
    key = AuditLogFiles.in_home(home).key
    if not key.exists():
        return None
    text = json.dumps({name: value for name, value in manifest.items() if name != "seal"}, sort_keys=True)
    return hmac.new(key.read_bytes(), b"backup\0" + text.encode(), hashlib.sha256).hexdigest()


def invalid_backup(source: Path, why: str) -> InvalidArgument:
    return InvalidArgument(
        f"{source.name} cannot be used: {why}.", suggestions=["Use another backup. Nothing was changed."]
    )
