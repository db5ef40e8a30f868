"""The activity log: every action is written down before it happens, and how it ended after.

``await log.intent(…)`` returns once the row is in the system's hands, so a kill of this process at any later moment
cannot lose it. When it cannot be written, it raises ``RecordsUnavailable`` and the caller must not act. Reading is in
``reading``. Life: ``start`` opens the log, closes actions that an earlier process left open as ``unknown``, and
removes what is too old; ``close`` finishes what was submitted. One process per home has it as its keeper
(``recover=True``, the hub); others may add notes meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..errors import RecordsUnavailable
from .chain import Head
from .counters import Spend, Usage, forget, forget_expired, refund, spend, usage
from .database import Files
from .entries import Intent, Note, Outcome, intent_body, note_body, outcome_body
from .reading import Entry, LogReader, open_actions
from .redaction import Redactor
from .retention import Retention, prune
from .writer import Ledger, Writer

PRUNE_EVERY_ROWS = 1_000

T = TypeVar("T")


class ActivityLog:
    def __init__(
        self,
        home: Path,
        redactor: Redactor,
        *,
        retention: Retention | None = None,
        recover: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.files = Files.in_home(home)
        self.retention = retention or Retention()
        self._redactor = redactor
        self._recover = recover
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._followers: set[asyncio.Event] = set()
        self._pruned_at = 0
        self._writer = Writer(self.files, on_open=self._opened, on_commit=self._committed)

    async def start(self) -> RecordsUnavailable | None:
        """Open the log; the answer is what keeps it from being written, or None."""
        self._loop = asyncio.get_running_loop()
        try:
            await self._run(self._tidy)
        except RecordsUnavailable as problem:
            return problem
        return self.problem

    @property
    def problem(self) -> RecordsUnavailable | None:
        """What keeps the log from being written now, for the health page; None when all is well."""
        return self._writer.problem

    async def intent(self, intent: Intent, *, spends: Sequence[Spend] = ()) -> int:
        """Write down what is about to happen, and count it; returns the number to give to ``outcome``.

        Raises ``BudgetExhausted`` when a counter's limit does not allow it; then nothing is written or counted.
        """
        body = {**intent_body(intent, self._redactor), "time_ms": self._now_ms()}
        if spends:
            body["spent"] = {item.key: item.amount for item in spends}

        def write(ledger: Ledger) -> int:
            if spends:
                spend(ledger.connection, spends, self._now_ms())
            return ledger.append(body)

        future = self._writer.submit(write)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(self._abandon)
            raise

    async def outcome(self, intent: int, outcome: Outcome) -> None:
        """Write down how it ended. Should that fail now, it is tried again with the next row."""
        body = {**outcome_body(intent, outcome, self._redactor), "time_ms": self._now_ms()}
        written = asyncio.wrap_future(self._writer.submit(lambda ledger: ledger.append(body), keep=True))
        # The action is over: a caller that is cancelled meanwhile must not take its record along.
        written.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(written)

    async def record(self, intent: Intent, outcome: Outcome) -> int:
        """Both rows at once, for what was over before it began, such as an action that the policy denied."""
        first = {**intent_body(intent, self._redactor), "time_ms": self._now_ms()}

        def write(ledger: Ledger) -> int:
            seq = ledger.append(first)
            ledger.append({**outcome_body(seq, outcome, self._redactor), "time_ms": self._now_ms()})
            return seq

        return await self._run(write)

    async def note(self, note: Note) -> int:
        """Write down something that is no action of an agent."""
        body = {**note_body(note, self._redactor), "time_ms": self._now_ms()}
        return await self._run(lambda ledger: ledger.append(body))

    async def spend(self, spends: Sequence[Spend]) -> None:
        """Count without a row; raises ``BudgetExhausted`` and counts nothing when a limit does not allow it."""
        await self._run(lambda ledger: spend(ledger.connection, spends, self._now_ms()))

    async def refund(self, spends: Sequence[Spend]) -> None:
        """Give back what was counted for an action that was then not tried."""
        await self._run(lambda ledger: refund(ledger.connection, spends))

    async def usage(self) -> Usage:
        """All that is counted, for whoever decides in memory."""
        return await self._run(lambda ledger: usage(ledger.connection, self._now_ms()))

    async def forget_counters(self, keys: Sequence[str]) -> None:
        """Close counters for good, as when their session ends."""
        await self._run(lambda ledger: forget(ledger.connection, keys))

    async def prune(self) -> int:
        """Remove what is too old or too much now; it also happens by itself from time to time."""
        return await self._run(self._tidy)

    async def follow(self, *, after: int = 0) -> AsyncGenerator[Entry]:
        """Rows after ``after`` as they are written, without end."""
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

    def reader(self) -> LogReader:
        return LogReader(self.files)

    async def close(self) -> None:
        await asyncio.to_thread(self._writer.close)

    async def _run(self, job: Callable[[Ledger], T]) -> T:
        return await asyncio.wrap_future(self._writer.submit(job))

    def _abandon(self, written: Future[int]) -> None:
        """The caller was cancelled while its intent was written: it did not act, so say so."""
        if not written.cancelled() and written.exception() is None:
            outcome = Outcome("cancelled", summary="Cancelled before it began.")
            body = {**outcome_body(written.result(), outcome, self._redactor), "time_ms": self._now_ms()}
            with suppress(RecordsUnavailable):
                self._writer.submit(lambda ledger: ledger.append(body), keep=True)

    def _opened(self, ledger: Ledger, anchored: Head | None, complaint: str | None) -> None:
        """First thing after opening: keep the evidence of a broken end, and close what an earlier process left open."""
        missing = _missing_end(ledger, anchored, complaint)
        if missing:
            ledger.append({"kind": "gap", "text": missing, "time_ms": self._now_ms()})
        if self._recover:
            self._recover = False
            for seq in open_actions(ledger.connection):
                outcome = Outcome("unknown", summary="Browser Pilot ended before the outcome was known.")
                ledger.append({**outcome_body(seq, outcome, self._redactor), "time_ms": self._now_ms()})

    def _committed(self, head: Head) -> None:
        if self._followers and self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake)
        if head.seq - self._pruned_at >= PRUNE_EVERY_ROWS:
            self._pruned_at = head.seq
            with suppress(RecordsUnavailable):
                self._writer.submit(self._tidy)

    def _wake(self) -> None:
        for changed in self._followers:
            changed.set()

    def _tidy(self, ledger: Ledger) -> int:
        self._pruned_at = ledger.head.seq
        now_ms = self._now_ms()
        forget_expired(ledger.connection, now_ms)
        return prune(ledger, self.retention, now_ms)

    def _now_ms(self) -> int:
        return round(self._clock() * 1000)


def _missing_end(ledger: Ledger, anchored: Head | None, complaint: str | None) -> str | None:
    """What is wrong with the log's end, compared with the head that was noted outside; None when it fits."""
    if complaint:
        return f"{complaint}."
    head = ledger.head
    if anchored is None:
        return None if head.seq == 0 else "The head that was noted beside the database is gone."
    if anchored.seq > head.seq:
        return f"rows {head.seq + 1} to {anchored.seq} were there before."
    row = ledger.connection.execute("SELECT hash FROM entries WHERE seq = ?", (anchored.seq,)).fetchone()
    if row is not None and bytes(row[0]) != anchored.hash:
        return f"row {anchored.seq} is not the one that was noted as the last."
    return None
