"""Backup and restore of the user's data as one file: configuration, policy and audit log.

A zip with a manifest that has the hash of every file, the head of the log, and an HMAC (the *seal*) with the key of its
home (see ``backup_archive``). Restore verifies names, sizes, the seal, hashes, the database and the hash chain before
it changes anything. A backup with an unknown seal (of another home, or modified) is accepted only with
``from_elsewhere``, and no program or argument is taken from it. Keys are never in a backup. Secrets are on request,
encrypted with a passphrase (see ``secrets.passphrase``).

Replaced files move to a folder of the home. The caller makes sure that the hub does not run during a restore.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from browser_pilot.config.editor import remove_settings
from browser_pilot.errors import InvalidArgument
from browser_pilot.home import PRIVATE_FILE, make_private_folder
from browser_pilot.secrets.passphrase import decrypt
from browser_pilot.secrets.secret_store import SecretStore

from .backup_archive import (
    CONFIG_FILE,
    FORMAT,
    LOG_FILE,
    MANIFEST_FILE,
    MAX_BYTES,
    SECRETS_FILE,
    TEXT_FILES,
    invalid_backup,
    open_backup,
    seal,
)
from .database import AuditLogFiles, log_id, open_for_reading, open_for_writing
from .hash_chain import VerificationReport
from .reader import verify_rows
from .writer import LogTransaction

VAULT_FILE = "secrets.enc"
# A stranger's configuration must not start a stranger's program.
UNTRUSTED_SETTINGS = (("browser", "executable"), ("browser", "args"))


@dataclass(frozen=True)
class BackupContents:
    """The contents of a backup, according to its manifest. ``settings`` are shown for an unknown seal."""

    created: str
    files: tuple[str, ...]
    log_rows: int
    has_own_seal: bool
    settings: tuple[str, ...] = ()

    @property
    def has_secrets(self) -> bool:
        return SECRETS_FILE in self.files


@dataclass(frozen=True)
class RestoreResult:
    """What was restored, the settings that were left out, and the folder with the replaced files."""

    files: tuple[str, ...]
    log_rows: int
    secrets: int
    replaced: Path | None
    left_out: tuple[str, ...] = ()


def create_backup(
    home: Path, destination: Path, *, secrets: bytes | None = None, now: datetime | None = None
) -> tuple[str, ...]:
    """Write a backup, with the encrypted ``secrets`` if any; the hub may run. Returns the names of its files."""
    parts = {name: (home / name).read_bytes() for name in TEXT_FILES if (home / name).exists()}
    if secrets is not None:
        parts[SECRETS_FILE] = secrets
    for name, data in parts.items():
        if len(data) > MAX_BYTES[name]:
            raise InvalidArgument(f"{name} is too large for a backup; the maximum is {MAX_BYTES[name]:,} bytes.")
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
    manifest["seal"] = seal(home, manifest)
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


def read_contents(home: Path, source: Path) -> BackupContents:
    """The contents of a backup, by its manifest, and whether this home sealed it. Its files are not verified yet."""
    with open_backup(source) as archive:
        manifest, is_own = archive.manifest, archive.has_seal_of(home)
        has_settings = not is_own and CONFIG_FILE in archive.files
        settings = tuple(_setting_lines(tomllib.loads(archive.read_text(CONFIG_FILE)))) if has_settings else ()
        log = manifest.get("log")
        rows = cast("dict[str, object]", log).get("rows") if isinstance(log, dict) else 0
        created = str(manifest.get("created"))
        return BackupContents(created, archive.files, rows if isinstance(rows, int) else 0, is_own, settings)


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
    changes nothing when the backup was tampered with, or has an unknown seal and ``from_elsewhere`` is not set.
    """
    now = now or datetime.now(UTC)
    make_private_folder(home)
    with tempfile.TemporaryDirectory(dir=home) as name:
        folder = Path(name)
        with open_backup(source) as archive:
            manifest, files = archive.manifest, archive.files
            is_own = archive.has_seal_of(home)
            if not is_own and not from_elsewhere:
                raise InvalidArgument(
                    f"{source.name} was changed, or comes from another home, whose seal cannot be verified here.",
                    suggestions=["If you are sure where it comes from: --from-elsewhere. Nothing was changed."],
                )
            archive.extract(folder)
        left_out = () if is_own or CONFIG_FILE not in files else remove_settings(folder, UNTRUSTED_SETTINGS)
        if (LOG_FILE in files) != (manifest.get("log") is not None):
            raise invalid_backup(source, "the log does not match the manifest")
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
    return RestoreResult(files, report.rows if report else 0, count, replaced, left_out)


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


def _setting_lines(table: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _setting_lines(cast("dict[str, object]", value), f"{key}.")
        else:
            yield f"{json.dumps(key)[1:-1]} = {json.dumps(value, default=str)}"


def _check_log(source: Path, path: Path, expected: object) -> VerificationReport:
    try:
        with closing(_connect(path)) as connection:
            intact = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            report = verify_rows(connection)
    except sqlite3.Error as error:
        raise invalid_backup(source, f"the log is damaged ({error})") from None
    if not intact or _log_facts(report) != expected:
        problem = report.problems[-1].text if report.problems else "Its head does not match."
        raise invalid_backup(source, f"the log was tampered with. {problem}")
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
