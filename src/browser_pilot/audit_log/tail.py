"""Following the activity log from another process than the one that writes it, such as the command line.

SQLite has no way to be told of another process's commits, so whoever follows looks again from time to time: a look at
an unchanged log reads one number and no rows. The log may not be there yet, and may be replaced by a restored one.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from .database import Files, open_for_reading
from .reading import Action, Query, search_actions


class Follower:
    """The first look gives the newest actions, later ones what ended since the look before."""

    def __init__(self, files: Files, query: Query) -> None:
        self._files = files
        self._query = query
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._version = -1
        self._after: int | None = None

    def look(self) -> list[Action]:
        """Actions that fit, oldest first."""
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
        """The log that is there now, opened again when it is another file than before."""
        file = self._identity()
        if file != self._file:
            self.close()
            if self._file is not None:
                self._after = None
            self._file = file
        if file is not None and self._connection is None:
            connection = open_for_reading(self._files.database)
            # A file that was only just made has no tables yet.
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
