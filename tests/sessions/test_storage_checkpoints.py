"""When storage is looked at: after use, never while the session works, and less often the more it costs."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.sessions import checkpoints
from browser_pilot.sessions.checkpoints import Checkpoints


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "AFTER_USE_SECONDS", 0.01)
    monkeypatch.setattr(checkpoints, "SHORTEST_SECONDS", 0.05)


async def test_a_look_follows_use_but_waits_while_the_session_works() -> None:
    looked = asyncio.Event()
    busy = True

    async def look() -> None:
        assert not busy
        looked.set()

    watch = Checkpoints(look, lambda: busy)
    watch.due()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(looked.wait(), 0.1)
    busy = False
    await asyncio.wait_for(looked.wait(), 5)
    await watch.close()


async def test_looks_take_no_more_than_their_share_of_the_time() -> None:
    loop = asyncio.get_running_loop()
    times: list[tuple[float, float]] = []
    twice = asyncio.Event()

    async def look() -> None:
        began = loop.time()
        await asyncio.sleep(0.02)
        times.append((began, loop.time()))
        if len(times) == 2:
            twice.set()

    watch = Checkpoints(look, lambda: False)
    using = asyncio.create_task(_use(watch))
    await asyncio.wait_for(twice.wait(), 10)
    using.cancel()
    await watch.close()
    (began, ended), (again, _) = times
    assert again - ended >= (ended - began) / checkpoints.SHARE * 0.9


async def _use(watch: Checkpoints) -> None:
    while True:
        watch.due()
        await asyncio.sleep(0.001)
