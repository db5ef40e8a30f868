"""Counters of budgets: no limit is exceeded, and counts survive a restart."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.counters import Spend, Usage
from browser_pilot.audit_log.reader import AuditQuery
from browser_pilot.errors import BudgetExhausted
from browser_pilot.redaction.redactor import Redactor

from .logs import click, opened

HOUR_MS = 3_600_000


async def test_a_limit_is_never_exceeded_under_concurrency(log: AuditLog) -> None:
    async def act() -> bool:
        try:
            await log.intent(click(), spends=[Spend("session s1", limit=37), Spend("a.example", window_ms=HOUR_MS)])
        except BudgetExhausted as error:
            assert error.metadata == {"key": "session s1", "used": 37, "limit": 37}
            return False
        return True

    assert sum(await asyncio.gather(*(act() for _ in range(120)))) == 37
    used = await log.usage()
    assert used.totals == {"session s1": 37}
    assert len(used.times["a.example"]) == 37
    assert len(log.reader().search(AuditQuery(limit=None))) == 37


async def test_counts_survive_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await log.spend([Spend("a", limit=4, amount=3), Spend("w", limit=1, window_ms=HOUR_MS)])
    async with opened(tmp_path) as log:
        with pytest.raises(BudgetExhausted):
            await log.spend([Spend("w", limit=1, window_ms=HOUR_MS)])
        await log.spend([Spend("a", limit=4)])


async def test_a_refused_check_counts_nothing(log: AuditLog) -> None:
    with pytest.raises(BudgetExhausted):
        await log.spend([Spend("a"), Spend("w", window_ms=HOUR_MS), Spend("b", limit=0)])
    assert await log.usage() == Usage({}, {})


async def test_a_counter_named_twice_in_one_spend_keeps_its_limit(log: AuditLog) -> None:
    with pytest.raises(BudgetExhausted):
        await log.spend([Spend("a", limit=1), Spend("a", limit=1)])
    await log.spend([Spend("a", limit=2), Spend("a", limit=2)])
    assert (await log.usage()).totals == {"a": 2}


async def test_a_window_slides_and_the_error_says_when_to_retry(tmp_path: Path) -> None:
    now = 1000.0
    log = AuditLog(tmp_path, Redactor(), clock=lambda: now)
    await log.start()
    step = Spend("a.example", limit=2, window_ms=60_000)
    await log.spend([step])
    now = 1020.0
    await log.spend([step])
    now = 1030.0
    with pytest.raises(BudgetExhausted) as refused:
        await log.spend([step])
    assert refused.value.metadata["retry_after_ms"] == 30_000
    now = 1060.0
    await log.spend([step])
    with pytest.raises(BudgetExhausted):
        await log.spend([step])
    now = 500.0
    with pytest.raises(BudgetExhausted):
        await log.spend([step])
    now = 5000.0
    await log.prune()
    assert await log.usage() == Usage({}, {})
    await log.close()


async def test_a_refund_undoes_a_count_once(log: AuditLog) -> None:
    spends = [Spend("a", limit=2), Spend("w", limit=2, window_ms=HOUR_MS)]
    await log.spend(spends)
    await log.spend(spends)
    await log.refund(spends)
    await log.spend(spends)
    with pytest.raises(BudgetExhausted):
        await log.spend(spends)
    await log.delete_counters(["a", "w"])
    assert await log.usage() == Usage({}, {})


async def test_an_approval_can_be_used_once_by_a_counter(log: AuditLog) -> None:
    use = [Spend("approval 7", limit=1)]
    results = await asyncio.gather(*(log.intent(click(), spends=use) for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(result, int) for result in results) == 1
