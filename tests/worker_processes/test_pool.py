"""Worker processes: their results and errors arrive, their deadline ends them, and the event loop goes on."""

from __future__ import annotations

import asyncio

import psutil
import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.worker_processes import run_in_worker
from tests.loop_blocks import ticks_during

from .hostile_work import end, match_for_ever, process_id, refuse, total


async def test_a_result_comes_from_another_process_which_is_used_again() -> None:
    first = await run_in_worker(process_id, timeout_seconds=60)
    assert first in {child.pid for child in psutil.Process().children()}
    assert await run_in_worker(total, 1, 2, timeout_seconds=60) == 3
    assert await run_in_worker(process_id, timeout_seconds=60) == first


async def test_an_error_of_the_function_is_raised_with_all_its_parts() -> None:
    with pytest.raises(InvalidArgument, match="too bad") as caught:
        await run_in_worker(refuse, "too bad", timeout_seconds=60)
    assert caught.value.suggestions == ("do better",)
    assert caught.value.metadata == {"tool": "x"}


async def test_work_beyond_its_deadline_is_ended_while_the_loop_goes_on() -> None:
    async with ticks_during() as ticks:
        with pytest.raises(TimeoutError):
            await run_in_worker(match_for_ever, timeout_seconds=0.5)
    assert ticks.count >= 5


async def test_a_worker_that_ended_is_replaced() -> None:
    pid = await run_in_worker(process_id, timeout_seconds=60)
    psutil.Process(pid).kill()
    assert await run_in_worker(process_id, timeout_seconds=60) != pid
    with pytest.raises(TimeoutError):
        await run_in_worker(end, timeout_seconds=60)


async def test_cancelling_ends_the_process() -> None:
    before = set(psutil.Process().children())
    task = asyncio.create_task(run_in_worker(match_for_ever, timeout_seconds=60))
    other = asyncio.create_task(run_in_worker(match_for_ever, timeout_seconds=60))
    await asyncio.sleep(0)
    for one in (task, other):
        one.cancel()
    await asyncio.gather(task, other, return_exceptions=True)
    # Both threads are free again, and nothing is left that works.
    assert await run_in_worker(total, 1, timeout_seconds=60) == 1
    for child in set(psutil.Process().children()) - before:
        assert child.cpu_times().user < 30
