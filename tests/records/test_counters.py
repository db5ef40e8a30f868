"""Budgets: never overshot, never forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_pilot.errors import BudgetExhausted
from browser_pilot.records.activity import ActivityLog
from browser_pilot.records.counters import Spend
from browser_pilot.records.reading import Query
from browser_pilot.records.redaction import Redactor

from .logs import click, opened


async def test_a_budget_is_never_overshot_under_concurrency(log: ActivityLog) -> None:
    async def act() -> bool:
        try:
            await log.intent(click(), spends=[Spend("session:s1", limit=37), Spend("hour:a.example")])
        except BudgetExhausted as error:
            assert error.metadata == {"key": "session:s1", "used": 37, "limit": 37}
            return False
        return True

    assert sum(await asyncio.gather(*(act() for _ in range(120)))) == 37
    assert await log.counters(["session:s1", "hour:a.example", "other"]) == {"session:s1": 37, "hour:a.example": 37}
    assert len(log.reader().search(Query(limit=None))) == 37


async def test_what_was_used_up_survives_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await log.spend([Spend("a", amount=3, limit=4)])
    async with opened(tmp_path) as log:
        with pytest.raises(BudgetExhausted):
            await log.spend([Spend("b"), Spend("a", amount=2, limit=4)])
        assert await log.counters_with_prefix("") == {"a": 3}
        await log.reset_counters(["a"])
        await log.spend([Spend("a", amount=4, limit=4)])


async def test_an_expired_counter_starts_again(tmp_path: Path) -> None:
    now = 1000.0
    log = ActivityLog(tmp_path, Redactor(), clock=lambda: now)
    await log.start()
    await log.spend([Spend("hour", limit=1, expires_ms=2_000_000)])
    with pytest.raises(BudgetExhausted):
        await log.spend([Spend("hour", limit=1, expires_ms=2_000_000)])
    now = 2000.0
    await log.spend([Spend("hour", limit=1, expires_ms=3_000_000)])
    assert await log.counters(["hour"]) == {"hour": 1}
    await log.close()
