"""Follows the audit log from another process than its writer, such as the command line.

SQLite does not notify other processes of commits, so the caller polls: a poll of an unchanged log reads one number and
no rows. The log may not exist yet, and may be replaced by a restored one.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from .database import AuditLogFiles, open_for_reading
from .reader import AuditedAction, AuditQuery, search_actions


class AuditLogTail:
    """The first poll returns the newest actions, later ones the actions that ended since the previous poll."""

    def __init__(self, files: AuditLogFiles, query: AuditQuery) -> None:
        self._files = files
        self._query = query
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._version = -1
        self._after: int | None = None

    def poll(self) -> list[AuditedAction]:
        """Matching actions, oldest first."""
        connection = self._current()
        if connection is None:
            return []
        version = int(connection.execute("PRAGMA data_version").fetchone()[0])
        if version == self._version:
            return []
        connection.execute("BEGIN")
        try:
            last = int(connection.execute("SELECT seq FROM head").fetchone()[0])
            since = {} if self._after is None else {"limit": None, "ended_after": self._after}
            found = list(search_actions(connection, replace(self._query, **since)))[::-1]
        finally:
            connection.execute("COMMIT")
        self._version, self._after = version, last
        return found

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _current(self) -> sqlite3.Connection | None:
        """A connection to the current file; reopened when the file was replaced."""
        file = self._identity()
        if file != self._file:
            self.close()
            if self._file is not None:
                self._after = None
            self._file = file
        if file is not None and self._connection is None:
            connection = open_for_reading(self._files.database)
            # A file that was just created has no tables yet.
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'head'").fetchone() is None:
                connection.close()
                return None
            self._connection, self._version = connection, -1
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self._files.database.stat()
        except FileNotFoundError:
            return None
        return (found.st_dev, found.st_ino)
