"""The hub is killed at random moments while clients work: finished calls are recorded, and no limit is exceeded."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery
from tests.clients import http_client, text_of
from tests.hub_process import HubProcess, browsers_of, running_hub, wait_until_gone
from tests.integration.approvals.simulated_users import configure
from tests.sites import serving
from tests.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.stress]

ROUNDS = 3
CLIENTS = 3
SETTINGS = """
[policy]
rate_per_minute = 100000
[policy.domains."127.0.0.1"]
max_steps_per_hour = {limit}
"""


async def work(hub: HubProcess, base: str, name: str, completed: list[str]) -> None:
    async with http_client(hub) as client:
        for number in range(1_000):
            url = f"{base}/?{name}-{number}"
            result = await client.call_tool("browser_navigate", {"url": url})
            if result.is_error:
                assert "BUDGET_EXHAUSTED" in text_of(result) or "BROWSER" in text_of(result), text_of(result)
                return
            completed.append(url)


async def test_finished_calls_are_recorded_and_no_limit_is_exceeded(home: Path) -> None:
    await kill_while_working(home, ROUNDS)


@pytest.mark.long
@pytest.mark.timeout(3_000)
async def test_finished_calls_are_recorded_and_no_limit_is_exceeded_in_two_hundred_kills(home: Path) -> None:
    await kill_while_working(home, 200)


async def kill_while_working(home: Path, rounds: int) -> None:
    # Enough for every round to use some of it, and little enough to run out.
    limit = 12 * rounds
    configure(home, SETTINGS.format(limit=limit))
    rng = random.Random(7)
    completed: list[str] = []
    with serving({"/": "<title>Page</title>"}) as site:
        for round_number in range(rounds):
            with running_hub(home) as hub:
                names = [f"{round_number}-{client}" for client in range(CLIENTS)]
                working = [asyncio.create_task(work(hub, site.url().rstrip("/"), name, completed)) for name in names]
                started = len(completed)
                await eventually(
                    lambda working=working, started=started: (
                        len(completed) > started or all(task.done() for task in working)
                    ),
                    "a call completes",
                    timeout_seconds=60,
                )
                await asyncio.wait(working, timeout=rng.uniform(0, 1))
                hub.process.kill()
                hub.process.wait()
                wait_until_gone(browsers_of(home))
                for task in working:
                    task.cancel()
                await asyncio.wait(working)
        visited = [hit for hit in site.hits if hit.startswith("/?")]
    log = AuditLogReader(AuditLogFiles.in_home(home))
    assert log.verify().ok
    recorded = {
        action.flat()["url"]: action.flat() for action in log.search(AuditQuery(limit=None, tool="browser_navigate"))
    }
    missing = [url for url in completed if recorded.get(url, {}).get("status") != "ok"]
    assert missing == []
    assert completed
    assert len(visited) <= limit
