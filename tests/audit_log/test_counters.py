"""Counters of budgets: no limit is exceeded, and counts survive a restart."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.counters import Spend, Usage
from browser_pilot.audit_log.reader import AuditQuery
from browser_pilot.audit_log.retention import Retention
from browser_pilot.errors import BudgetExhausted
from browser_pilot.redaction.redactor import Redactor

from .logs import DONE, changing, click, opened, reader

HOUR_MS = 3_600_000
DAY_SECONDS = 86_400


async def spend(log: AuditLog, *spends: Spend) -> int:
    return await log.intent(click(), spends=spends)


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
        await spend(log, Spend("a", limit=4, amount=3), Spend("w", limit=1, window_ms=HOUR_MS))
    async with opened(tmp_path) as log:
        with pytest.raises(BudgetExhausted):
            await spend(log, Spend("w", limit=1, window_ms=HOUR_MS))
        await spend(log, Spend("a", limit=4))


async def test_a_refused_check_counts_nothing(log: AuditLog) -> None:
    with pytest.raises(BudgetExhausted):
        await spend(log, Spend("a"), Spend("w", window_ms=HOUR_MS), Spend("b", limit=0))
    assert await log.usage() == Usage({}, {})


async def test_a_counter_named_twice_in_one_spend_keeps_its_limit(log: AuditLog) -> None:
    with pytest.raises(BudgetExhausted):
        await spend(log, Spend("a", limit=1), Spend("a", limit=1))
    await spend(log, Spend("a", limit=2), Spend("a", limit=2))
    assert (await log.usage()).totals == {"a": 2}


async def test_a_window_slides_and_the_error_says_when_to_retry(tmp_path: Path) -> None:
    now = 1000.0
    log = AuditLog(tmp_path, Redactor(), clock=lambda: now)
    await log.start()
    step = Spend("a.example", limit=2, window_ms=60_000)
    await spend(log, step)
    now = 1020.0
    await spend(log, step)
    now = 1030.0
    with pytest.raises(BudgetExhausted) as refused:
        await spend(log, step)
    assert refused.value.metadata["retry_after_ms"] == 30_000
    now = 1060.0
    await spend(log, step)
    with pytest.raises(BudgetExhausted):
        await spend(log, step)
    now = 500.0
    with pytest.raises(BudgetExhausted):
        await spend(log, step)
    now = 5000.0
    await log.prune()
    assert await log.usage() == Usage({}, {})
    await log.close()


async def test_a_refund_undoes_a_count_once(log: AuditLog) -> None:
    spends = [Spend("a", limit=2), Spend("w", limit=2, window_ms=HOUR_MS)]
    await spend(log, *spends)
    await log.outcome(await spend(log, *spends), DONE, refunds=spends)
    await spend(log, *spends)
    with pytest.raises(BudgetExhausted):
        await spend(log, *spends)
    assert log.reader().verify().ok


async def test_an_approval_can_be_used_once_by_a_counter(log: AuditLog) -> None:
    use = [Spend("approval 7", limit=1)]
    results = await asyncio.gather(*(log.intent(click(), spends=use) for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(result, int) for result in results) == 1


async def test_only_counters_of_clients_that_are_gone_are_deleted(tmp_path: Path) -> None:
    now = 1000.0
    log = AuditLog(tmp_path, Redactor(), clock=lambda: now)
    await log.start()
    await spend(log, Spend("client gone"), Spend("client here"))
    now += 6 * DAY_SECONDS
    await spend(log, Spend("client here"))
    now += 2 * DAY_SECONDS
    await log.prune()
    assert (await log.usage()).totals == {"client here": 2}
    await log.close()
    assert reader(tmp_path).verify().ok


async def count(home: Path) -> None:
    """Counters of every kind, some of them refunded."""
    async with opened(home) as log:
        spends = [Spend("client a", limit=9), Spend("domain d", limit=9, window_ms=HOUR_MS)]
        for refunds in ((), spends, ()):
            await log.outcome(await spend(log, *spends, Spend("approval x", window_ms=HOUR_MS)), DONE, refunds=refunds)


@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE spends SET amount = 0",
        "UPDATE spends SET amount = 0 WHERE key = 'approval x'",
        "UPDATE spends SET expires_ms = expires_ms - 1 WHERE key = 'domain d'",
        "UPDATE spends SET time_ms = 0 WHERE rowid = 1",
        "DELETE FROM spends WHERE rowid = 1",
        "INSERT INTO spends SELECT * FROM spends",
        "UPDATE counters SET value = 0",
        "DELETE FROM counters",
        "INSERT INTO counters VALUES ('client b', 5, 0)",
    ],
)
async def test_a_changed_counter_is_found_by_verification(tmp_path: Path, forgery: str) -> None:
    await count(tmp_path)
    assert reader(tmp_path).verify().problems == ()
    with changing(tmp_path) as connection:
        assert connection.execute(forgery).rowcount
    report = reader(tmp_path).verify()
    assert not report.ok
    assert all("step count" in problem.text for problem in report.problems)


async def test_counters_can_be_verified_after_the_rows_that_counted_them_were_removed(tmp_path: Path) -> None:
    await count(tmp_path)
    async with opened(tmp_path) as log:
        log.retention = Retention(size_mb=0.001)
        assert await log.prune() > 3
        await spend(log, Spend("client a"))
    assert reader(tmp_path).verify().problems == ()
    with changing(tmp_path) as connection:
        connection.execute("UPDATE counters SET value = 1")
    assert not reader(tmp_path).verify().ok


async def test_counters_of_an_earlier_version_are_verified_from_its_migration_on(tmp_path: Path) -> None:
    await count(tmp_path)
    with changing(tmp_path) as connection:
        connection.execute("ALTER TABLE counters DROP COLUMN used_ms")
        connection.execute("ALTER TABLE log DROP COLUMN counters_from")
        connection.execute("UPDATE counters SET value = 7")
        connection.execute("PRAGMA user_version = 1")
    async with opened(tmp_path) as log:
        await spend(log, Spend("client b"))
    assert reader(tmp_path).verify().problems == ()
    with changing(tmp_path) as connection:
        connection.execute("UPDATE counters SET value = 0")
    assert not reader(tmp_path).verify().ok
