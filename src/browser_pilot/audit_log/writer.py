"""The one thread that writes the records, so that the event loop never waits for a disk.

Jobs that arrive while a commit is under way share the next one. A job gets a ``Ledger``: the open transaction with
the chain's end. Life: nothing is opened before the first job; after an error the database is closed and opened again
for the next job; ``close`` finishes what was submitted.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Generic, TypeVar

from ..errors import PilotError, RecordsUnavailable
from .anchor import Anchor, AnchorBroken
from .chain import Head, encode_body, link
from .database import Files, log_id, open_for_writing, unavailable

T = TypeVar("T")

MOST_JOBS_AT_ONCE = 256
MOST_LATE_JOBS = 1_000


class Ledger:
    """An open transaction at the end of the chain. A job that refuses (``PilotError``) does so before it writes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        seq, digest = connection.execute("SELECT seq, hash FROM head").fetchone()
        self.head = Head(int(seq), bytes(digest))

    def append(self, body: Mapping[str, object]) -> int:
        """Add a row and return its number."""
        text = encode_body(body)
        seq = self.head.seq + 1
        digest = link(self.head.hash, seq, text)
        self.connection.execute("INSERT INTO entries (seq, body, hash) VALUES (?, ?, ?)", (seq, text, digest))
        self.head = Head(seq, digest)
        return seq

    def finish(self) -> None:
        self.connection.execute("UPDATE head SET seq = ?, hash = ?", self.head)


class _Job(Generic[T]):
    def __init__(self, run: Callable[[Ledger], T], keep: bool) -> None:
        self.run = run
        self.keep = keep
        self.future: Future[T] = Future()


class Writer:
    """``on_open`` runs in the first transaction after each opening, ``on_commit`` after each commit."""

    def __init__(
        self,
        files: Files,
        *,
        on_open: Callable[[Ledger, Head | None, str | None], None],
        on_commit: Callable[[Head], None],
    ) -> None:
        self._files = files
        self._on_open = on_open
        self._on_commit = on_commit
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._late: list[Callable[[Ledger], object]] = []
        self._connection: sqlite3.Connection | None = None
        self._anchor: Anchor = files.anchor()
        self._log_id = ""
        self._inode = (0, 0)
        self._closed = False
        self._problem: RecordsUnavailable | None = None
        self._thread = threading.Thread(target=self._work, name="records", daemon=True)
        self._thread.start()

    @property
    def problem(self) -> RecordsUnavailable | None:
        """Why the last commit failed; None when it did not."""
        return self._problem

    def submit(self, run: Callable[[Ledger], T], *, keep: bool = False) -> Future[T]:
        """Run a job in the next transaction. With ``keep`` it is tried again later when the transaction fails."""
        if self._closed:
            raise RecordsUnavailable("The activity log is closed.", suggestions=["Start Browser Pilot again."])
        job = _Job(run, keep)
        self._jobs.put(job)  # pyright: ignore[reportArgumentType] - a job's result goes only to its own future
        return job.future

    def close(self) -> None:
        """Finish what was submitted and end the thread."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        more = True
        while more:
            job = self._jobs.get()
            batch: list[_Job[object]] = []
            while job is not None:
                if job.future.set_running_or_notify_cancel():
                    batch.append(job)
                if len(batch) >= MOST_JOBS_AT_ONCE:
                    break
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
            more = job is not None
            if batch:
                self._commit(batch)
        self._drop_connection()

    def _commit(self, batch: list[_Job[object]]) -> None:
        results: list[object] = []
        try:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            ledger = Ledger(connection)
            before = ledger.head
            for late in self._late:
                late(ledger)
            for job in batch:
                try:
                    results.append(job.run(ledger))
                except PilotError as refused:
                    results.append(refused)
            if ledger.head != before:
                ledger.finish()
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - whoever waits for this batch gets it; the thread must go on
            self._fail(batch, error)
            return
        self._late.clear()
        self._problem = self._seal(ledger.head)
        for job, result in zip(batch, results, strict=True):
            if isinstance(result, PilotError):
                job.future.set_exception(result)
            else:
                job.future.set_result(result)
        self._on_commit(ledger.head)

    def _seal(self, head: Head) -> RecordsUnavailable | None:
        """Note the head outside; the rows are safe without it, so a failure is a problem to show, not to refuse for."""
        try:
            self._anchor.write(self._log_id, head)
        except OSError as error:
            return unavailable(error, self._files.head)
        return None

    def _fail(self, batch: list[_Job[object]], error: Exception) -> None:
        problem = error if isinstance(error, RecordsUnavailable) else unavailable(error, self._files.database)
        self._problem = problem
        self._drop_connection()
        room = MOST_LATE_JOBS - len(self._late)
        self._late += [job.run for job in batch if job.keep][:room]
        for job in batch:
            fresh = RecordsUnavailable(problem.message, suggestions=problem.suggestions)
            fresh.__cause__ = error
            job.future.set_exception(fresh)

    def _open(self) -> sqlite3.Connection:
        """The open database; opened again when its file was moved or removed, which would take our rows with it."""
        if self._connection is not None:
            if self._current_inode() == self._inode:
                return self._connection
            self._drop_connection()
        connection = open_for_writing(self._files.database)
        try:
            self._log_id = log_id(connection)
            try:
                anchored, complaint = self._anchor.read(self._log_id), None
            except AnchorBroken as broken:
                anchored, complaint = None, str(broken)
            connection.execute("BEGIN IMMEDIATE")
            ledger = Ledger(connection)
            self._on_open(ledger, anchored, complaint)
            ledger.finish()
            connection.execute("COMMIT")
            self._problem = self._seal(ledger.head)
            self._inode = self._current_inode()
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _current_inode(self) -> tuple[int, int]:
        try:
            status = self._files.database.stat()
        except FileNotFoundError:
            return (0, 0)
        return (status.st_dev, status.st_ino)

    def _drop_connection(self) -> None:
        self._anchor.close()
        if self._connection is not None:
            connection, self._connection = self._connection, None
            try:
                connection.close()
            except sqlite3.Error as error:
                self._problem = unavailable(error, self._files.database)
