"""Background tasks are kept alive, their errors are logged, and closing ends them."""

from __future__ import annotations

import asyncio
import gc

import pytest

from browser_pilot.background_tasks import BackgroundTasks


async def test_a_task_without_other_references_runs_to_its_end() -> None:
    tasks, done = BackgroundTasks("a test"), asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0)
        gc.collect()
        done.set()

    tasks.spawn(work())
    await asyncio.wait_for(done.wait(), 5)
    await tasks.wait()
    assert len(tasks) == 0


async def test_an_exception_is_logged_with_its_owner(caplog: pytest.LogCaptureFixture) -> None:
    tasks = BackgroundTasks("the relay")

    async def work() -> None:
        raise ValueError("broken")

    tasks.spawn(work())
    await tasks.wait()
    await asyncio.sleep(0)
    assert "a background task of the relay failed" in caplog.text
    assert "ValueError: broken" in caplog.text


async def test_closing_cancels_and_waits_and_logs_no_cancellation(caplog: pytest.LogCaptureFixture) -> None:
    tasks, ended = BackgroundTasks("a test"), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    tasks.spawn(work())
    await asyncio.sleep(0)
    await tasks.close()
    assert ended.is_set()
    assert len(tasks) == 0
    assert caplog.text == ""
