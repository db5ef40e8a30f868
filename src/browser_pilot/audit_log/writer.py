"""The one thread that writes the audit log, so that the event loop never waits for the disk.

Jobs that arrive during a commit share the next one. A job gets a ``LogTransaction``. Lifecycle: the database is opened
for the first job, and reopened for the next job after an error; ``close`` finishes the submitted jobs.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Generic, TypeVar

from browser_pilot.errors import PilotError, RecordsUnavailable

from .anchor import Anchor, AnchorBroken
from .database import AuditLogFiles, log_id, open_for_writing, unavailable_error
from .hash_chain import ChainHead, chain_hash, encode_body

T = TypeVar("T")

MAX_BATCH_JOBS = 256
MAX_RETRY_JOBS = 1_000


class LogTransaction:
    """An open transaction at the end of the chain. A job raises ``PilotError`` only before its first write."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        seq, digest = connection.execute("SELECT seq, hash FROM head").fetchone()
        self.head = ChainHead(int(seq), bytes(digest))

    def append(self, body: Mapping[str, object]) -> int:
        """Add a row and return its number."""
        text = encode_body(body)
        seq = self.head.seq + 1
        digest = chain_hash(self.head.hash, seq, text)
        self.connection.execute("INSERT INTO entries (seq, body, hash) VALUES (?, ?, ?)", (seq, text, digest))
        self.head = ChainHead(seq, digest)
        return seq

    def write_head(self) -> None:
        self.connection.execute("UPDATE head SET seq = ?, hash = ?", self.head)


class _Job(Generic[T]):
    def __init__(self, run: Callable[[LogTransaction], T], keep: bool) -> None:
        self.run = run
        self.keep = keep
        self.future: Future[T] = Future()


class AuditLogWriter:
    """``on_open`` runs in the first transaction after each open, ``on_commit`` after each commit."""

    def __init__(
        self,
        files: AuditLogFiles,
        *,
        on_open: Callable[[LogTransaction, ChainHead | None, str | None], None],
        on_commit: Callable[[ChainHead], None],
    ) -> None:
        self._files = files
        self._on_open = on_open
        self._on_commit = on_commit
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._retries: list[Callable[[LogTransaction], object]] = []
        self._connection: sqlite3.Connection | None = None
        self._anchor: Anchor = files.anchor()
        self._log_id = ""
        self._inode = (0, 0)
        self._closed = False
        self._problem: RecordsUnavailable | None = None
        self._thread = threading.Thread(target=self._run, name="audit-log", daemon=True)
        self._thread.start()

    @property
    def problem(self) -> RecordsUnavailable | None:
        """Why the last commit failed; None when it succeeded."""
        return self._problem

    def submit(self, run: Callable[[LogTransaction], T], *, retry: bool = False) -> Future[T]:
        """Run a job in the next transaction. With ``retry`` it runs again in a later one when that fails."""
        if self._closed:
            raise RecordsUnavailable("The audit log is closed.", suggestions=["Start Browser Pilot again."])
        job = _Job(run, retry)
        self._jobs.put(job)  # pyright: ignore[reportArgumentType] - a job's result goes only to its own future
        return job.future

    def close(self) -> None:
        """Finish the submitted jobs and end the thread."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        more = True
        while more:
            job = self._jobs.get()
            batch: list[_Job[object]] = []
            while job is not None:
                if job.future.set_running_or_notify_cancel():
                    batch.append(job)
                if len(batch) >= MAX_BATCH_JOBS:
                    break
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
            more = job is not None
            if batch:
                self._commit(batch)
        self._close_connection()

    def _commit(self, batch: list[_Job[object]]) -> None:
        results: list[object] = []
        try:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            transaction = LogTransaction(connection)
            before = transaction.head
            for retried in self._retries:
                retried(transaction)
            for job in batch:
                try:
                    results.append(job.run(transaction))
                except PilotError as refused:
                    results.append(refused)
            if transaction.head != before:
                transaction.write_head()
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - the futures of this batch get it; the thread must go on
            self._fail(batch, error)
            return
        self._retries.clear()
        self._problem = self._write_anchor(transaction.head)
        for job, result in zip(batch, results, strict=True):
            if isinstance(result, PilotError):
                job.future.set_exception(result)
            else:
                job.future.set_result(result)
        self._on_commit(transaction.head)

    def _write_anchor(self, head: ChainHead) -> RecordsUnavailable | None:
        """Write the head file. The rows are safe without it, so a failure is reported and does not stop writing."""
        try:
            self._anchor.write(self._log_id, head)
        except OSError as error:
            return unavailable_error(error, self._files.head)
        return None

    def _fail(self, batch: list[_Job[object]], error: Exception) -> None:
        problem = error if isinstance(error, RecordsUnavailable) else unavailable_error(error, self._files.database)
        self._problem = problem
        self._close_connection()
        room = MAX_RETRY_JOBS - len(self._retries)
        self._retries += [job.run for job in batch if job.keep][:room]
        for job in batch:
            fresh = RecordsUnavailable(problem.message, suggestions=problem.suggestions)
            fresh.__cause__ = error
            job.future.set_exception(fresh)

    def _open(self) -> sqlite3.Connection:
        """The open database; reopened when its file was moved or removed, because rows would go with that file."""
        if self._connection is not None:
            if self._current_inode() == self._inode:
                return self._connection
            self._close_connection()
        connection = open_for_writing(self._files.database)
        try:
            self._log_id = log_id(connection)
            try:
                anchored, anchor_problem = self._anchor.read(self._log_id), None
            except AnchorBroken as broken:
                anchored, anchor_problem = None, str(broken)
            connection.execute("BEGIN IMMEDIATE")
            transaction = LogTransaction(connection)
            self._on_open(transaction, anchored, anchor_problem)
            transaction.write_head()
            connection.execute("COMMIT")
            self._problem = self._write_anchor(transaction.head)
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

    def _close_connection(self) -> None:
        self._anchor.close()
        if self._connection is not None:
            connection, self._connection = self._connection, None
            try:
                connection.close()
            except sqlite3.Error as error:
                self._problem = unavailable_error(error, self._files.database)
