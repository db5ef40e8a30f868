"""Storage checkpoints run after use, never while the session is busy, and less often the more they cost."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.sessions import storage_checkpoints
from browser_pilot.sessions.storage_checkpoints import StorageCheckpoints


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_checkpoints, "AFTER_USE_SECONDS", 0.01)
    monkeypatch.setattr(storage_checkpoints, "MIN_INTERVAL_SECONDS", 0.05)


async def test_a_checkpoint_follows_use_but_waits_while_the_session_is_busy() -> None:
    was_read = asyncio.Event()
    busy = True

    async def read() -> None:
        assert not busy
        was_read.set()

    checkpoints = StorageCheckpoints(read, lambda: busy)
    checkpoints.schedule()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(was_read.wait(), 0.1)
    busy = False
    await asyncio.wait_for(was_read.wait(), 5)
    await checkpoints.close()


async def test_checkpoints_take_at_most_their_share_of_the_time() -> None:
    loop = asyncio.get_running_loop()
    times: list[tuple[float, float]] = []
    twice = asyncio.Event()

    async def read() -> None:
        began = loop.time()
        await asyncio.sleep(0.02)
        times.append((began, loop.time()))
        if len(times) == 2:
            twice.set()

    checkpoints = StorageCheckpoints(read, lambda: False)
    using = asyncio.create_task(_use(checkpoints))
    await asyncio.wait_for(twice.wait(), 10)
    using.cancel()
    await checkpoints.close()
    (began, ended), (again, _) = times
    assert again - ended >= (ended - began) / storage_checkpoints.MAX_SHARE * 0.9


async def _use(checkpoints: StorageCheckpoints) -> None:
    while True:
        checkpoints.schedule()
        await asyncio.sleep(0.001)
