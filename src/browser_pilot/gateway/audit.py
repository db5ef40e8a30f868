"""Writes down what the gateway does: before an effect, so that nothing happens unrecorded, and how it ended.

An effect is refused when it cannot be written down. Looking goes on: it is recorded when it is over, if it can be, and
nobody waits for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..errors import PilotError, RecordsUnavailable, Refused
from ..policy.budgets import Budgets, Charge, Reservation
from ..records.activity import ActivityLog
from ..records.counters import Spend
from ..records.entries import Intent as Entry
from ..records.entries import Note, Outcome, Status
from ..records.metrics import Metrics

T = TypeVar("T")

# An approval is good for one action, even across a restart; nobody waits for one as long as this.
_APPROVAL_MS = 24 * 60 * 60 * 1000


@dataclass
class Ending:
    """How an action ended, filled in by whoever did it."""

    summary: str = ""
    url: str | None = None


class Journal:
    """``budgets`` are restored from the log, which outlives the hub."""

    def __init__(self, log: ActivityLog, budgets: Budgets, metrics: Metrics) -> None:
        self._log = log
        self._budgets = budgets
        self._metrics = metrics
        self._later: set[asyncio.Task[object]] = set()

    async def restore(self) -> None:
        """Count on from what was used up before."""
        with contextlib.suppress(RecordsUnavailable):
            used = await self._log.usage()
            self._budgets.restore(used.totals, used.times)

    async def effect(
        self, entry: Entry, reservation: Reservation, act: Callable[[Ending], Awaitable[T]], *, uses_up: str | None
    ) -> T:
        """Write down, act, write down how it ended. What was reserved is given back if it was not even begun.

        ``uses_up`` is the approval that was given for this one action.
        """
        spends = [*_spends(reservation.charges), *_single_use(uses_up)]
        try:
            number = await self._log.intent(entry, spends=spends)
        except BaseException:
            self._budgets.refund(reservation)
            raise
        self._metrics.decision(entry.decision, entry.risk or "low")
        ending, started = Ending(), time.monotonic()
        try:
            result = await act(ending)
        except BaseException as error:
            await self._end(number, _outcome(error, ending, started))
            raise
        await self._end(number, _outcome(None, ending, started))
        return result

    async def give_back(self, reservation: Reservation) -> None:
        """For an action that was written down and then not tried, because the page had changed."""
        self._budgets.refund(reservation)
        with contextlib.suppress(RecordsUnavailable):
            await self._log.refund(_spends(reservation.charges))

    def looked(self, entry: Entry, error: BaseException | None, started: float, ending: Ending) -> None:
        """Something was only looked at."""
        self._metrics.decision(entry.decision, entry.risk or "low")
        self._in_the_background(self._log.record(entry, _outcome(error, ending, started)))

    def refused(self, entry: Entry, error: PilotError, started: float) -> None:
        """Something was not allowed."""
        self._metrics.decision(entry.decision, entry.risk or "low")
        self._in_the_background(self._log.record(entry, _outcome(error, Ending(), started)))

    def note(self, note: Note) -> None:
        self._in_the_background(self._log.note(note))

    async def forget_session(self, session: str) -> None:
        key = f"session {session}"
        self._budgets.forget(key)
        with contextlib.suppress(RecordsUnavailable):
            await self._log.forget_counters([key])

    async def settle(self) -> None:
        """Until everything that goes on in the background is written."""
        if self._later:
            await asyncio.wait(self._later)

    async def _end(self, number: int, outcome: Outcome) -> None:
        # What happened has happened: a log that fails now is told of by the next intent, and tries again then.
        with contextlib.suppress(RecordsUnavailable):
            await self._log.outcome(number, outcome)

    def _in_the_background(self, work: Awaitable[object]) -> None:
        async def quietly() -> None:
            with contextlib.suppress(RecordsUnavailable):
                await work

        task = asyncio.ensure_future(quietly())
        self._later.add(task)
        task.add_done_callback(self._later.discard)


def _outcome(error: BaseException | None, ending: Ending, started: float) -> Outcome:
    duration_ms = (time.monotonic() - started) * 1000
    if error is None:
        return Outcome("ok", duration_ms, ending.summary, url=ending.url)
    if isinstance(error, PilotError):
        status: Status = "refused" if isinstance(error, Refused) else "error"
        return Outcome(status, duration_ms, error.message, error.code, ending.url)
    if isinstance(error, asyncio.CancelledError):
        return Outcome("cancelled", duration_ms, "The call was cancelled.")
    return Outcome("error", duration_ms, "It failed in a way that it should not.", "INTERNAL_ERROR", ending.url)


def _spends(charges: Sequence[Charge]) -> list[Spend]:
    return [
        Spend(charge.key, charge.limit, None if charge.window_seconds is None else round(charge.window_seconds * 1000))
        for charge in charges
    ]


def _single_use(approval: str | None) -> list[Spend]:
    return [Spend(f"approval {approval}", limit=1, window_ms=_APPROVAL_MS)] if approval else []
