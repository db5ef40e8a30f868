"""Writes the audit log for the gateway: an intent before each effect, and its outcome after it.

An effect is refused when its intent cannot be written. Reads go on: they are recorded afterwards, in the background.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.counters import Spend
from browser_pilot.audit_log.entries import AuditIntent as Entry
from browser_pilot.audit_log.entries import AuditNote, AuditOutcome, OutcomeStatus
from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import CircuitOpen, PilotError, RecordsUnavailable, Refused
from browser_pilot.metrics.prometheus import Metrics
from browser_pilot.policy.budgets import Budgets, Charge, Reservation

from .retries import NOT_ATTEMPTED

# A single-use approval is spent for good, also across a restart; no approval request stays open for as long as this.
_APPROVAL_MS = 24 * 60 * 60 * 1000
# The action was recorded and then not attempted.
_REFUNDED = (*NOT_ATTEMPTED, CircuitOpen)


@dataclass
class AuditRecord:
    """How an action ended, filled in while it runs."""

    summary: str = ""
    url: str | None = None


class AuditTrail:
    """``budgets`` are restored from the audit log, which outlives the hub."""

    def __init__(self, log: AuditLog, budgets: Budgets, metrics: Metrics) -> None:
        self._log = log
        self._budgets = budgets
        self._metrics = metrics
        self._background = BackgroundTasks("the audit log")

    async def restore(self) -> None:
        """Continue counting from what was used before."""
        with contextlib.suppress(RecordsUnavailable):
            used = await self._log.usage()
            self._budgets.restore(used.totals, used.times)

    @asynccontextmanager
    async def effect(
        self, entry: Entry, reservation: Reservation, *, single_use: str | None
    ) -> AsyncGenerator[AuditRecord]:
        """Write the intent, then the outcome of the block. Refunds the reservation if the action was not attempted.

        ``single_use`` is the id of an approval for this one action.
        """
        spends = [*_spends(reservation.charges), *_single_use(single_use)]
        try:
            number = await self._log.intent(entry, spends=spends)
        except BaseException:
            self._budgets.refund(reservation)
            raise
        self._metrics.count_decision(entry.decision, entry.risk or "low")
        record, started = AuditRecord(), time.monotonic()
        try:
            yield record
        except BaseException as error:
            refunds: list[Spend] = []
            if isinstance(error, _REFUNDED):
                self._budgets.refund(reservation)
                refunds = _spends(reservation.charges)
            await self._end(number, _outcome(error, record, started), refunds)
            raise
        await self._end(number, _outcome(None, record, started))

    @asynccontextmanager
    async def read(self, entry: Entry) -> AsyncGenerator[AuditRecord]:
        """Record a read after the block, in the background."""
        record, started = AuditRecord(), time.monotonic()
        failure: BaseException | None = None
        try:
            yield record
        except BaseException as error:
            failure = error
            raise
        finally:
            self._metrics.count_decision(entry.decision, entry.risk or "low")
            self._in_background(self._log.record(entry, _outcome(failure, record, started)))

    def record_refusal(self, entry: Entry, error: PilotError, started: float) -> None:
        """Record a call that was not authorized."""
        self._metrics.count_decision(entry.decision, entry.risk or "low")
        self._in_background(self._log.record(entry, _outcome(error, AuditRecord(), started)))

    def note(self, note: AuditNote) -> None:
        self._in_background(self._log.note(note))

    async def flush(self) -> None:
        """Wait until everything in the background is written."""
        await self._background.wait()

    async def _end(self, number: int, outcome: AuditOutcome, refunds: Sequence[Spend] = ()) -> None:
        # The action is over. If the log fails now, the next intent reports it and tries again.
        with contextlib.suppress(RecordsUnavailable):
            await self._log.outcome(number, outcome, refunds=refunds)

    def _in_background(self, work: Awaitable[object]) -> None:
        async def write() -> None:
            with contextlib.suppress(RecordsUnavailable):
                await work

        self._background.spawn(write())


def _outcome(error: BaseException | None, record: AuditRecord, started: float) -> AuditOutcome:
    duration_ms = (time.monotonic() - started) * 1000
    if error is None:
        return AuditOutcome("ok", duration_ms, record.summary, url=record.url)
    if isinstance(error, PilotError):
        status: OutcomeStatus = "refused" if isinstance(error, Refused) else "error"
        return AuditOutcome(status, duration_ms, error.message, error.code, record.url)
    if isinstance(error, asyncio.CancelledError):
        return AuditOutcome("cancelled", duration_ms, "The call was cancelled.")
    return AuditOutcome("error", duration_ms, "It failed unexpectedly.", "INTERNAL_ERROR", record.url)


def _spends(charges: Sequence[Charge]) -> list[Spend]:
    return [
        Spend(charge.key, charge.limit, None if charge.window_seconds is None else round(charge.window_seconds * 1000))
        for charge in charges
    ]


def _single_use(approval: str | None) -> list[Spend]:
    return [Spend(f"approval {approval}", limit=1, window_ms=_APPROVAL_MS)] if approval else []
