"""The audit log: records the intent before each action and its outcome afterwards.

``await log.intent(…)`` returns once the operating system has the row, so a kill of this process cannot lose it. When
the row cannot be written, it raises ``RecordsUnavailable`` and the caller must not act. Reading is in ``reader``.

Lifecycle: ``start`` opens the log, ends the unfinished actions of an earlier process as ``unknown`` and removes old
rows; ``close`` finishes the submitted work. One process per home owns the log (``recover=True``, the hub); others may
add notes at the same time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from browser_pilot.errors import RecordsUnavailable
from browser_pilot.json_types import Json
from browser_pilot.redaction.offloading import MAX_INLINE_CHARACTERS, REDACTION_TIMEOUT_SECONDS, is_short, redact
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.worker_processes import run_in_worker

from .budget_replay import COUNTERS, REFUNDED, SPENT
from .counters import Spend, Usage, counter_state, delete_expired, refund, spend, spend_data, usage
from .database import AuditLogFiles, counters_follow, set_counters_from
from .entries import AuditIntent, AuditNote, AuditOutcome, intent_body, note_body, outcome_body, without_data
from .hash_chain import ChainHead
from .reader import AuditEntry, AuditLogReader, unfinished_actions
from .retention import Retention, prune
from .writer import AuditLogWriter, LogTransaction

PRUNE_EVERY_ROWS = 1_000

T = TypeVar("T")
R = TypeVar("R", AuditIntent, AuditNote)


class AuditLog:
    def __init__(
        self,
        home: Path,
        redactor: Redactor,
        *,
        retention: Retention | None = None,
        recover: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.files = AuditLogFiles.in_home(home)
        self.retention = retention or Retention()
        self._redactor = redactor
        self._recover = recover
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._followers: set[asyncio.Event] = set()
        self._pruned_at = 0
        self._writing: set[asyncio.Future[int]] = set()
        self._writer = AuditLogWriter(self.files, on_open=self._on_open, on_commit=self._on_commit)

    async def start(self) -> RecordsUnavailable | None:
        """Open the log. Returns why it cannot be written, or None."""
        self._loop = asyncio.get_running_loop()
        try:
            await self._run(self._prune)
        except RecordsUnavailable as problem:
            return problem
        return self.problem

    @property
    def problem(self) -> RecordsUnavailable | None:
        """Why the log cannot be written now, for the health page; None when it can."""
        return self._writer.problem

    async def intent(self, intent: AuditIntent, *, spends: Sequence[Spend] = ()) -> int:
        """Record an action before it is executed, and count it; returns the number for ``outcome``.

        Raises ``BudgetExhausted`` when a counter's limit is reached; then nothing is written or counted.
        """
        body = await self._body(intent_body, intent)
        now_ms = self._now_ms()
        body["time_ms"] = now_ms
        if spends:
            body[SPENT] = spend_data(spends)

        def write(transaction: LogTransaction) -> int:
            if spends:
                spend(transaction.connection, spends, now_ms)
            return transaction.append(body)

        future = self._writer.submit(write)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(self._record_cancelled)
            raise

    async def outcome(self, intent: int, outcome: AuditOutcome, *, refunds: Sequence[Spend] = ()) -> None:
        """Record how an action ended, and undo these counts of it. If this fails, it is retried with the next row."""
        if is_short([outcome.summary, outcome.url]):
            written = self._submit_outcome(intent, outcome, refunds)
        else:
            written = asyncio.ensure_future(self._write_long_outcome(intent, outcome, refunds))
            self._writing.add(written)
            written.add_done_callback(self._writing.discard)
        # The action is over: cancelling the caller must not cancel the write.
        written.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(written)

    def _submit_outcome(self, intent: int, outcome: AuditOutcome, refunds: Sequence[Spend]) -> asyncio.Future[int]:
        body = {**outcome_body(intent, outcome, self._redactor), "time_ms": self._now_ms()}
        if refunds:
            body[REFUNDED] = spend_data(refunds)

        def write(transaction: LogTransaction) -> int:
            refund(transaction.connection, refunds)
            return transaction.append(body)

        return asyncio.wrap_future(self._writer.submit(write, retry=True))

    async def _write_long_outcome(self, intent: int, outcome: AuditOutcome, refunds: Sequence[Spend]) -> int:
        """Redact long texts in a worker process; what is left of them is cut by ``outcome_body``."""
        summary = (await redact(self._redactor.text, outcome.summary))[:MAX_INLINE_CHARACTERS]
        url = None if outcome.url is None else (await redact(self._redactor.url, outcome.url))[:MAX_INLINE_CHARACTERS]
        return await self._submit_outcome(intent, replace(outcome, summary=summary, url=url), refunds)

    async def record(self, intent: AuditIntent, outcome: AuditOutcome) -> int:
        """Write intent and outcome at once, for an action that was not executed, such as one that the policy denied."""
        first = {**await self._body(intent_body, intent), "time_ms": self._now_ms()}

        def write(transaction: LogTransaction) -> int:
            seq = transaction.append(first)
            transaction.append({**outcome_body(seq, outcome, self._redactor), "time_ms": self._now_ms()})
            return seq

        return await self._run(write)

    async def note(self, note: AuditNote) -> int:
        """Record something that is not an action of an agent."""
        body = {**await self._body(note_body, note), "time_ms": self._now_ms()}
        return await self._run(lambda transaction: transaction.append(body))

    async def _body(self, body_of: Callable[[R, Redactor], dict[str, Json]], row: R) -> dict[str, Json]:
        """The redacted body of a row; a large one is made in a worker process."""
        if is_short(list(vars(row).values())):
            return body_of(row, self._redactor)
        try:
            try:
                return await run_in_worker(body_of, row, self._redactor, timeout_seconds=REDACTION_TIMEOUT_SECONDS)
            except RecursionError:
                shallow = without_data(row)
                return await run_in_worker(body_of, shallow, self._redactor, timeout_seconds=REDACTION_TIMEOUT_SECONDS)
        except TimeoutError:
            raise RecordsUnavailable("The call is too large for the audit log.") from None

    async def usage(self) -> Usage:
        """The current counts, for limits that are checked in memory."""
        return await self._run(lambda transaction: usage(transaction.connection, self._now_ms()))

    async def prune(self) -> int:
        """Enforce the retention limits now; this also happens every ``PRUNE_EVERY_ROWS`` rows."""
        return await self._run(self._prune)

    async def follow(self, *, after: int = 0) -> AsyncGenerator[AuditEntry]:
        """Yield rows after ``after`` as they are written; never ends."""
        changed = asyncio.Event()
        self._followers.add(changed)
        try:
            while True:
                for entry in await asyncio.to_thread(self.reader().entries, after=after):
                    after = entry.seq
                    yield entry
                await changed.wait()
                changed.clear()
        finally:
            self._followers.discard(changed)

    def reader(self) -> AuditLogReader:
        return AuditLogReader(self.files)

    async def close(self) -> None:
        if self._writing:
            await asyncio.wait(self._writing)
        await asyncio.to_thread(self._writer.close)

    async def _run(self, job: Callable[[LogTransaction], T]) -> T:
        return await asyncio.wrap_future(self._writer.submit(job))

    def _record_cancelled(self, written: Future[int]) -> None:
        """The caller was cancelled while its intent was written: record that it did not act."""
        if not written.cancelled() and written.exception() is None:
            outcome = AuditOutcome("cancelled", summary="Cancelled before it began.")
            body = {**outcome_body(written.result(), outcome, self._redactor), "time_ms": self._now_ms()}
            with suppress(RecordsUnavailable):
                self._writer.submit(lambda transaction: transaction.append(body), retry=True)

    def _on_open(self, transaction: LogTransaction, anchored: ChainHead | None, anchor_problem: str | None) -> None:
        """Record evidence of missing rows at the end, and end the unfinished actions of an earlier process."""
        missing = _missing_end(transaction, anchored, anchor_problem)
        if missing:
            transaction.append({"kind": "gap", "text": missing, "time_ms": self._now_ms()})
        if not counters_follow(transaction.connection):
            seq = self._append_counters(transaction, "From here on `log verify` checks the step counts.")
            set_counters_from(transaction.connection, seq)
        if self._recover:
            self._recover = False
            for seq in unfinished_actions(transaction.connection):
                outcome = AuditOutcome("unknown", summary="Browser Pilot ended before the outcome was known.")
                transaction.append({**outcome_body(seq, outcome, self._redactor), "time_ms": self._now_ms()})

    def _on_commit(self, head: ChainHead) -> None:
        if self._followers and self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake)
        if head.seq - self._pruned_at >= PRUNE_EVERY_ROWS:
            self._pruned_at = head.seq
            with suppress(RecordsUnavailable):
                self._writer.submit(self._prune)

    def _wake(self) -> None:
        for changed in self._followers:
            changed.set()

    def _prune(self, transaction: LogTransaction) -> int:
        self._pruned_at = transaction.head.seq
        now_ms = self._now_ms()
        unused = delete_expired(transaction.connection, now_ms)
        removed = prune(transaction, self.retention, now_ms)
        if unused and not removed:
            self._append_counters(transaction, "The step counts of clients that are gone were removed.")
        return removed

    def _append_counters(self, transaction: LogTransaction, text: str) -> int:
        note = note_body(AuditNote(text), self._redactor)
        state = counter_state(transaction.connection)
        return transaction.append({**note, COUNTERS: state, "time_ms": self._now_ms()})

    def _now_ms(self) -> int:
        return round(self._clock() * 1000)


def _missing_end(transaction: LogTransaction, anchored: ChainHead | None, anchor_problem: str | None) -> str | None:
    """How the end of the log differs from the anchored head; None when it does not."""
    if anchor_problem:
        return f"{anchor_problem}."
    head = transaction.head
    if anchored is None:
        return None if head.seq == 0 else "The head file beside the database is missing."
    if anchored.seq > head.seq:
        return f"rows {head.seq + 1} to {anchored.seq} existed before."
    row = transaction.connection.execute("SELECT hash FROM entries WHERE seq = ?", (anchored.seq,)).fetchone()
    if row is not None and bytes(row[0]) != anchored.hash:
        return f"row {anchored.seq} is not the one in the head file."
    return None
