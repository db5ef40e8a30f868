"""Backup and restore of the user's data as one file: configuration, policy and audit log.

A zip with a manifest that has the hash of every file, the head of the log, and an HMAC (the *seal*) with the key of its
home. Restore verifies names, sizes, hashes, the database, the hash chain and the seal before it changes anything. A
home without a log (a new machine) cannot verify the seal; a home with a log accepts a backup with another seal only
with ``from_elsewhere``. Keys are never in a backup. Secrets are on request, encrypted with a passphrase (see
``secrets.passphrase``).

Replaced files move to a folder of the home. The caller makes sure that the hub does not run during a restore.
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

from browser_pilot.errors import InvalidArgument
from browser_pilot.home import PRIVATE_FILE, make_private_folder
from browser_pilot.secrets.passphrase import decrypt
from browser_pilot.secrets.secret_store import SecretStore

from .database import AuditLogFiles, log_id, open_for_reading, open_for_writing
from .hash_chain import VerificationReport
from .reader import verify_rows
from .writer import LogTransaction

MANIFEST_FILE = "manifest.json"
LOG_FILE = "activity.db"
# With their parsers, so that invalid files are refused.
TEXT_FILES: dict[str, Callable[[str], object]] = {"config.toml": tomllib.loads, "rules.json": json.loads}
SECRETS_FILE = "secrets.sealed"
VAULT_FILE = "secrets.enc"
FORMAT = 1
MAX_BACKUP_BYTES = 1 << 30

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
class BackupContents:
    """The contents of a backup, according to its manifest."""

    created: str
    files: tuple[str, ...]
    log_rows: int

    @property
    def has_secrets(self) -> bool:
        return SECRETS_FILE in self.files


@dataclass(frozen=True)
class RestoreResult:
    """What was restored, and the folder with the replaced files."""

    files: tuple[str, ...]
    log_rows: int
    secrets: int
    replaced: Path | None


def create_backup(
    home: Path, destination: Path, *, secrets: bytes | None = None, now: datetime | None = None
) -> tuple[str, ...]:
    """Write a backup, with the encrypted ``secrets`` if any; the hub may run. Returns the names of its files."""
    parts = {name: (home / name).read_bytes() for name in TEXT_FILES if (home / name).exists()}
    if secrets is not None:
        parts[SECRETS_FILE] = secrets
    report: VerificationReport | None = None
    if (home / LOG_FILE).exists():
        with tempfile.TemporaryDirectory(dir=home) as folder:
            report, parts[LOG_FILE] = _copy_log(home / LOG_FILE, Path(folder) / LOG_FILE)
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
            archive.writestr(MANIFEST_FILE, json.dumps(manifest, indent=2))
            for name, data in parts.items():
                archive.writestr(name, data)
        _move_into_place(draft, destination)
    finally:
        draft.unlink(missing_ok=True)
    return tuple(parts)


def read_contents(source: Path) -> BackupContents:
    """The contents of a backup. Verifies its hashes, not its seal."""
    with tempfile.TemporaryDirectory() as folder:
        manifest, files = _unpack(source, Path(folder))
    log = manifest.get("log")
    rows = cast("dict[str, object]", log).get("rows") if isinstance(log, dict) else 0
    return BackupContents(str(manifest.get("created")), files, rows if isinstance(rows, int) else 0)


def restore(
    home: Path,
    source: Path,
    *,
    from_elsewhere: bool = False,
    check: Callable[[Path], None] | None = None,
    secrets: tuple[SecretStore, str] | None = None,
    now: datetime | None = None,
) -> RestoreResult:
    """Replace the home's files with a backup; its secrets only with the store and the passphrase in ``secrets``.

    ``check`` gets the folder of the unpacked files and raises when they cannot be used. Raises ``InvalidArgument`` and
    changes nothing when the backup was tampered with, or has the seal of another home.
    """
    now = now or datetime.now(UTC)
    make_private_folder(home)
    with tempfile.TemporaryDirectory(dir=home) as name:
        folder = Path(name)
        manifest, files = _unpack(source, folder)
        if (
            AuditLogFiles.in_home(home).key.exists()
            and not from_elsewhere
            and manifest.get("seal") != _seal(home, manifest)
        ):
            raise InvalidArgument(
                f"{source.name} was changed, or comes from another home, whose seal cannot be verified here.",
                suggestions=["If you are sure where it comes from: --from-elsewhere. Nothing was changed."],
            )
        if (LOG_FILE in files) != (manifest.get("log") is not None):
            raise _invalid_backup(source, "the log does not match the manifest")
        report = _check_log(source, folder / LOG_FILE, manifest.get("log")) if LOG_FILE in files else None
        if check is not None:
            check(folder)
        decrypted = None
        if secrets is not None and SECRETS_FILE in files:
            decrypted = decrypt((folder / SECRETS_FILE).read_bytes(), secrets[1])
        files = tuple(file for file in files if file != SECRETS_FILE)
        replaced = _move_replaced(home, files, now, with_vault=decrypted is not None)
        for file in files:
            _move_into_place(folder / file, home / file)
        count = secrets[0].replace(decrypted) if secrets is not None and decrypted is not None else 0
        if report:
            _append_restore_note(home, source, now)
    return RestoreResult(files, report.rows if report else 0, count, replaced)


def _copy_log(path: Path, copy: Path) -> tuple[VerificationReport, bytes]:
    with closing(open_for_reading(path)) as source, closing(_connect(copy)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
        report = verify_rows(target)
    return report, copy.read_bytes()


def _log_facts(report: VerificationReport) -> dict[str, object]:
    """What the restored log must match, including its known problems."""
    return {
        "rows": report.rows,
        "head": [report.head.seq, report.head.hash.hex()],
        "problems": [problem.text for problem in report.problems],
    }


def _unpack(source: Path, folder: Path) -> tuple[dict[str, object], tuple[str, ...]]:
    try:
        with zipfile.ZipFile(source) as archive:
            sizes = {info.filename: info.file_size for info in archive.infolist()}
            if MANIFEST_FILE not in sizes or not set(sizes) <= {MANIFEST_FILE, LOG_FILE, SECRETS_FILE, *TEXT_FILES}:
                raise _invalid_backup(source, "it is not a backup of Browser Pilot")
            if sum(sizes.values()) > MAX_BACKUP_BYTES:
                raise _invalid_backup(source, "it is too large")
            manifest = cast("dict[str, object]", json.loads(archive.read(MANIFEST_FILE)))
            if manifest.get("format") != FORMAT:
                raise _invalid_backup(source, "it was made by another version")
            files = cast("dict[str, str]", manifest["files"])
            if set(files) != set(sizes) - {MANIFEST_FILE}:
                raise _invalid_backup(source, "files were added or removed")
            for file, digest in files.items():
                data = archive.read(file)
                if hashlib.sha256(data).hexdigest() != digest:
                    raise _invalid_backup(source, f"{file} was changed")
                if file in TEXT_FILES:
                    TEXT_FILES[file](data.decode("utf-8"))
                (folder / file).write_bytes(data)
    except _UNREADABLE as error:
        raise _invalid_backup(source, f"it cannot be read ({error})") from None
    return manifest, tuple(files)


def _check_log(source: Path, path: Path, expected: object) -> VerificationReport:
    try:
        with closing(_connect(path)) as connection:
            intact = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            report = verify_rows(connection)
    except sqlite3.Error as error:
        raise _invalid_backup(source, f"the log is damaged ({error})") from None
    if not intact or _log_facts(report) != expected:
        problem = report.problems[-1].text if report.problems else "Its head does not match."
        raise _invalid_backup(source, f"the log was tampered with. {problem}")
    return report


def _append_restore_note(home: Path, source: Path, now: datetime) -> None:
    files = AuditLogFiles.in_home(home)
    with closing(open_for_writing(files.database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        transaction = LogTransaction(connection)
        note = {"kind": "note", "by": "restore", "text": f"Restored from {source.name}"}
        transaction.append({**note, "time_ms": round(now.timestamp() * 1000)})
        transaction.write_head()
        connection.execute("COMMIT")
        anchor = files.anchor()
        anchor.write(log_id(connection), transaction.head)
        anchor.close()


def _connect(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    return sqlite3.connect(path, isolation_level=None)


def _seal(home: Path, manifest: dict[str, object]) -> str | None:
    key = AuditLogFiles.in_home(home).key
    if not key.exists():
        return None
    text = json.dumps({name: value for name, value in manifest.items() if name != "seal"}, sort_keys=True)
    return hmac.new(key.read_bytes(), b"backup\0" + text.encode(), hashlib.sha256).hexdigest()


def _move_replaced(home: Path, files: tuple[str, ...], now: datetime, *, with_vault: bool) -> Path | None:
    existing = [home / name for name in files if (home / name).exists()]
    existing += [path for path in home.glob(f"{LOG_FILE}-*") if LOG_FILE in files]
    vault = home / VAULT_FILE
    has_vault = with_vault and vault.exists()
    if not existing and not has_vault:
        return None
    replaced = make_private_folder(home / "replaced" / now.strftime("%Y-%m-%dT%H%M%S"))
    for path in existing:
        path.replace(replaced / path.name)
    if has_vault:
        # A copy: the store keeps using this file, which says where its key is.
        shutil.copy2(vault, replaced / VAULT_FILE)
    return replaced


def _move_into_place(draft: Path, destination: Path) -> None:
    draft.chmod(PRIVATE_FILE)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(destination)


def _invalid_backup(source: Path, why: str) -> InvalidArgument:
    return InvalidArgument(
        f"{source.name} cannot be used: {why}.", suggestions=["Use another backup. Nothing was changed."]
    )
