"""The database file of the audit log: path, tables, migrations, and error messages.

WAL with ``synchronous=NORMAL``: a committed row survives a kill of the process, because the operating system has it;
after a power failure the last rows may be lost, but the rest stays consistent. Only this module and ``writer`` change
the file.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.errors import RecordsUnavailable
from browser_pilot.home import PRIVATE_FILE, make_private_folder

from .anchor import Anchor

BUSY_TIMEOUT_MS = 2_000

# The n-th tuple migrates to version n. A change of the tables is a new tuple, never an edit of an old one.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE entries ("
        " seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL,"
        # Generated from the body, so that searches see what the hash covers. NULL when the body was made invalid.
        " kind TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(body) THEN json_extract(body, '$.kind') END),"
        " time_ms INTEGER GENERATED ALWAYS AS (CASE WHEN json_valid(body) THEN json_extract(body, '$.time_ms') END),"
        " intent INTEGER GENERATED ALWAYS AS (CASE WHEN json_valid(body) THEN json_extract(body, '$.intent') END))",
        "CREATE INDEX outcome_of ON entries (intent) WHERE intent IS NOT NULL",
        "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash BLOB NOT NULL)",
        "INSERT INTO head VALUES (1, 0, zeroblob(32))",
        "CREATE TABLE log (id TEXT NOT NULL)",
        "CREATE TABLE counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE spends (key TEXT NOT NULL, time_ms INTEGER NOT NULL, amount INTEGER NOT NULL,"
        " expires_ms INTEGER NOT NULL)",
        "CREATE INDEX spends_by_key ON spends (key, time_ms)",
    ),
    (
        "ALTER TABLE counters ADD COLUMN used_ms INTEGER NOT NULL DEFAULT 0",
        # The row from which the counters follow from the rows; NULL until it is written.
        "ALTER TABLE log ADD COLUMN counters_from INTEGER",
    ),
)


@dataclass(frozen=True)
class AuditLogFiles:
    """The audit log's files in one home."""

    database: Path
    head: Path
    key: Path

    @classmethod
    def in_home(cls, home: Path) -> AuditLogFiles:
        return cls(home / "activity.db", home / "activity.head", home / "activity.key")

    def anchor(self) -> Anchor:
        return Anchor(self.head, self.key)


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The database, created or migrated if needed; the caller begins transactions."""
    make_private_folder(path.parent)
    # SQLite creates its WAL files with the mode of this one.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000, check_same_thread=False)
    try:
        for pragma in (
            "auto_vacuum = INCREMENTAL",
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "secure_delete = ON",
            "journal_size_limit = 4194304",
        ):
            connection.execute(f"PRAGMA {pragma}")
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A read-only connection that never blocks the writer."""
    if not path.exists():
        raise FileNotFoundError(path)
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=2)
    connection.execute("PRAGMA query_only = ON")
    return connection


def log_id(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT id FROM log").fetchone()
    return str(row[0]) if row else ""


def counters_follow(connection: sqlite3.Connection) -> bool:
    """Whether the rows say every change of a counter; those of earlier versions did not."""
    return connection.execute("SELECT counters_from FROM log").fetchone()[0] is not None


def set_counters_from(connection: sqlite3.Connection, seq: int) -> None:
    connection.execute("UPDATE log SET counters_from = ?", (seq,))


def unavailable_error(error: Exception, path: Path) -> RecordsUnavailable:
    """``error`` as a ``RecordsUnavailable`` with what the user can do about it."""
    name = getattr(error, "sqlite_errorname", None) or ""
    number = getattr(error, "errno", None)
    if name.startswith("SQLITE_FULL") or number in (28, 122):
        reason, advice = "the disk is full", "Free some disk space, then try again."
    elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        reason, advice = "another program has locked it", "Close the program that has the file open."
    elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        reason, advice = "the file is damaged", f"Move {path} away, or restore it with `browser-pilot restore`."
    elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")) or number in (1, 13, 30):
        reason, advice = "write permission is missing", f"Make {path} and its folder writable for your user."
    else:
        reason, advice = f"writing failed ({error})", f"Check the disk that holds {path}."
    return RecordsUnavailable(
        f"The audit log {path} cannot be written: {reason}. Actions that cannot be recorded are refused.",
        suggestions=[advice, "Reading pages still works."],
    )


def _migrate(connection: sqlite3.Connection) -> None:
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > len(MIGRATIONS):
            raise RecordsUnavailable(
                f"The audit log was made by a newer Browser Pilot (format {version} instead of {len(MIGRATIONS)}).",
                suggestions=["Update Browser Pilot, or set BROWSER_PILOT_HOME to another folder."],
            )
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        if version == 0:
            connection.execute("INSERT INTO log VALUES (?, 0)", (secrets.token_hex(16),))
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
