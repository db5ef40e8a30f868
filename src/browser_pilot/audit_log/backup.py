"""Backup and restore of what belongs to the user, as one file: configuration, policy and activity log.

A zip with a manifest that has the hash of every file and the log's head, sealed with the key of the home it came from.
Restore checks all of it before it touches anything: names, sizes, hashes, the database's own consistency, the log's
chain, and the seal. A home that has no log yet (a new machine) cannot check the seal; one that has a log takes a
backup without its own seal only when told that it comes from elsewhere. Keys are never in a backup; secrets are when
asked for, sealed with a passphrase of their own (see ``sealing``).

What is replaced is kept aside, in a folder of the home. The hub must not run meanwhile: the caller sees to that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
import sqlite3
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from ..errors import InvalidArgument
from ..home import PRIVATE_FILE, make_private_folder
from .chain import Report
from .database import Files, log_id, open_for_reading, open_for_writing
from .reading import verify_rows
from .sealing import open_sealed
from .secrets import SecretStore
from .writer import Ledger

MANIFEST = "manifest.json"
LOG = "activity.db"
# Each with how its text is read, so that what is no such file is refused.
TEXTS: dict[str, Callable[[str], object]] = {"config.toml": tomllib.loads, "rules.json": json.loads}
SECRETS = "secrets.sealed"
VAULT = "secrets.enc"
FORMAT = 1
LARGEST_BYTES = 1 << 30

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


@dataclass(frozen=True)
class Contents:
    """What a backup says that it holds."""

    created: str
    files: tuple[str, ...]
    log_rows: int

    @property
    def has_secrets(self) -> bool:
        return SECRETS in self.files


@dataclass(frozen=True)
class Restored:
    """What a restore put in place, and where the files that were there before are now."""

    files: tuple[str, ...]
    log_rows: int
    secrets: int
    set_aside: Path | None


def back_up(
    home: Path, destination: Path, *, secrets: bytes | None = None, now: datetime | None = None
) -> tuple[str, ...]:
    """Write a backup, with these sealed ``secrets`` if any; the hub may run. Returns the names of what is in it."""
    parts = {name: (home / name).read_bytes() for name in TEXTS if (home / name).exists()}
    if secrets is not None:
        parts[SECRETS] = secrets
    report: Report | None = None
    if (home / LOG).exists():
        with tempfile.TemporaryDirectory(dir=home) as folder:
            report, parts[LOG] = _copy_log(home / LOG, Path(folder) / LOG)
    manifest: dict[str, object] = {
        "format": FORMAT,
        "created": (now or datetime.now(UTC)).isoformat(),
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()},
        "log": _log_facts(report) if report else None,
    }
    manifest["seal"] = _seal(home, manifest)
    draft = destination.with_name(f".{destination.name}.{os.getpid()}")
    draft.touch(PRIVATE_FILE)
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest, indent=2))
            for name, data in parts.items():
                archive.writestr(name, data)
        _place(draft, destination)
    finally:
        draft.unlink(missing_ok=True)
    return tuple(parts)


def look_into(source: Path) -> Contents:
    """What a backup holds. Its hashes are checked, its seal is not."""
    with tempfile.TemporaryDirectory() as folder:
        manifest, files = _unpack(source, Path(folder))
    log = manifest.get("log")
    rows = cast("dict[str, object]", log).get("rows") if isinstance(log, dict) else 0
    return Contents(str(manifest.get("created")), files, rows if isinstance(rows, int) else 0)


def restore(
    home: Path,
    source: Path,
    *,
    from_elsewhere: bool = False,
    check: Callable[[Path], None] | None = None,
    secrets: tuple[SecretStore, str] | None = None,
    now: datetime | None = None,
) -> Restored:
    """Put a backup in place of what is there; its secrets only into the store, and with the passphrase, given here.

    ``check`` looks at the unpacked files and raises when they cannot be used. Raises ``InvalidArgument`` and changes
    nothing when the backup was tampered with, or bears another home's seal.
    """
    now = now or datetime.now(UTC)
    make_private_folder(home)
    with tempfile.TemporaryDirectory(dir=home) as name:
        folder = Path(name)
        manifest, files = _unpack(source, folder)
        if Files.in_home(home).key.exists() and not from_elsewhere and manifest.get("seal") != _seal(home, manifest):
            raise InvalidArgument(
                f"{source.name} was changed, or comes from another home, whose seal is not known here.",
                suggestions=["If you are sure where it comes from: --from-elsewhere. Nothing was changed."],
            )
        if (LOG in files) != (manifest.get("log") is not None):
            raise _refused(source, "the log does not fit")
        report = _check_log(source, folder / LOG, manifest.get("log")) if LOG in files else None
        if check is not None:
            check(folder)
        travelled = None
        if secrets is not None and SECRETS in files:
            travelled = open_sealed((folder / SECRETS).read_bytes(), secrets[1])
        files = tuple(file for file in files if file != SECRETS)
        aside = _set_aside(home, files, now, with_vault=travelled is not None)
        for file in files:
            _place(folder / file, home / file)
        count = secrets[0].replace(travelled) if secrets is not None and travelled is not None else 0
        if report:
            _note_restore(home, source, now)
    return Restored(files, report.rows if report else 0, count, aside)


def _copy_log(path: Path, copy: Path) -> tuple[Report, bytes]:
    with closing(open_for_reading(path)) as source, closing(_plain(copy)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
        report = verify_rows(target)
    return report, copy.read_bytes()


def _log_facts(report: Report) -> dict[str, object]:
    """What must be the same when the log is restored, its known problems included."""
    return {
        "rows": report.rows,
        "head": [report.head.seq, report.head.hash.hex()],
        "problems": [problem.what for problem in report.problems],
    }


def _unpack(source: Path, folder: Path) -> tuple[dict[str, object], tuple[str, ...]]:
    try:
        with zipfile.ZipFile(source) as archive:
            sizes = {info.filename: info.file_size for info in archive.infolist()}
            if MANIFEST not in sizes or not set(sizes) <= {MANIFEST, LOG, SECRETS, *TEXTS}:
                raise _refused(source, "it is not a backup of Browser Pilot")
            if sum(sizes.values()) > LARGEST_BYTES:
                raise _refused(source, "it is too large")
            manifest = cast("dict[str, object]", json.loads(archive.read(MANIFEST)))
            if manifest.get("format") != FORMAT:
                raise _refused(source, "it was made by another version")
            files = cast("dict[str, str]", manifest["files"])
            if set(files) != set(sizes) - {MANIFEST}:
                raise _refused(source, "files were added or removed")
            for file, digest in files.items():
                data = archive.read(file)
                if hashlib.sha256(data).hexdigest() != digest:
                    raise _refused(source, f"{file} was changed")
                if file in TEXTS:
                    TEXTS[file](data.decode("utf-8"))
                (folder / file).write_bytes(data)
    except _UNREADABLE as error:
        raise _refused(source, f"it cannot be read ({error})") from None
    return manifest, tuple(files)


def _check_log(source: Path, path: Path, expected: object) -> Report:
    try:
        with closing(_plain(path)) as connection:
            sound = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            report = verify_rows(connection)
    except sqlite3.Error as error:
        raise _refused(source, f"the log is damaged ({error})") from None
    if not sound or _log_facts(report) != expected:
        problem = report.problems[-1].what if report.problems else "Its end does not fit."
        raise _refused(source, f"the log was tampered with. {problem}")
    return report


def _note_restore(home: Path, source: Path, now: datetime) -> None:
    files = Files.in_home(home)
    with closing(open_for_writing(files.database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        ledger = Ledger(connection)
        note = {"kind": "note", "by": "restore", "text": f"Restored from {source.name}"}
        ledger.append({**note, "time_ms": round(now.timestamp() * 1000)})
        ledger.finish()
        connection.execute("COMMIT")
        anchor = files.anchor()
        anchor.write(log_id(connection), ledger.head)
        anchor.close()


def _plain(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    return sqlite3.connect(path, isolation_level=None)


def _seal(home: Path, manifest: dict[str, object]) -> str | None:
    key = Files.in_home(home).key
    if not key.exists():
        return None
    text = json.dumps({name: value for name, value in manifest.items() if name != "seal"}, sort_keys=True)
    return hmac.new(key.read_bytes(), b"backup\0" + text.encode(), hashlib.sha256).hexdigest()


def _set_aside(home: Path, files: tuple[str, ...], now: datetime, *, with_vault: bool) -> Path | None:
    there = [home / name for name in files if (home / name).exists()]
    there += [path for path in home.glob(f"{LOG}-*") if LOG in files]
    vault = home / VAULT
    has_vault = with_vault and vault.exists()
    if not there and not has_vault:
        return None
    aside = make_private_folder(home / "replaced" / now.strftime("%Y-%m-%dT%H%M%S"))
    for path in there:
        path.replace(aside / path.name)
    if has_vault:
        # A copy: the file says where its key is, and the same key goes on to be used.
        shutil.copy2(vault, aside / VAULT)
    return aside


def _place(draft: Path, destination: Path) -> None:
    draft.chmod(PRIVATE_FILE)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(destination)


def _refused(source: Path, why: str) -> InvalidArgument:
    return InvalidArgument(
        f"{source.name} cannot be used: {why}.", suggestions=["Use another backup. Nothing was changed."]
    )
