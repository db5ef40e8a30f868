"""Session slots: a fixed number, and waiting sessions get theirs in order."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.errors import SessionLimit
from browser_pilot.sessions.slots import LocalSlots


def limit_error() -> SessionLimit:
    return SessionLimit("all slots are taken")


async def acquire(slots: LocalSlots, holder: str, wait_seconds: float = 0) -> None:
    await slots.acquire(holder, wait_seconds=wait_seconds, limit_error=limit_error)


async def test_acquire_fails_above_the_limit_and_is_idempotent() -> None:
    slots = LocalSlots(lambda: 2)
    for holder in ("a", "b", "a"):
        await acquire(slots, holder)
    with pytest.raises(SessionLimit):
        await acquire(slots, "c")
    await slots.release("a")
    await acquire(slots, "c")
    assert len(slots) == 2


async def test_waiting_holders_are_served_in_order_and_not_overtaken() -> None:
    slots = LocalSlots(lambda: 1)
    await acquire(slots, "first")
    served: list[str] = []

    async def queue(name: str) -> None:
        await acquire(slots, name, 30)
        served.append(name)

    waiting = [asyncio.create_task(queue(name)) for name in ("b", "c")]
    await asyncio.sleep(0)
    await slots.release("first")
    with pytest.raises(SessionLimit):
        await acquire(slots, "overtaker")
    await waiting[0]
    await slots.release("b")
    await waiting[1]
    assert served == ["b", "c"]


async def test_a_holder_that_times_out_or_is_cancelled_takes_no_slot() -> None:
    slots = LocalSlots(lambda: 1)
    await acquire(slots, "first")
    with pytest.raises(SessionLimit):
        await acquire(slots, "late", 0.01)
    cancelled = asyncio.create_task(acquire(slots, "cancelled", 30))
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.wait({cancelled})
    await slots.release("first")
    await acquire(slots, "next")
    assert len(slots) == 1


async def test_a_holder_cancelled_as_it_gets_its_slot_passes_it_on() -> None:
    slots = LocalSlots(lambda: 1)
    await acquire(slots, "first")
    served = asyncio.create_task(acquire(slots, "served", 30))
    after = asyncio.create_task(acquire(slots, "after", 30))
    await asyncio.sleep(0)
    await slots.release("first")
    served.cancel()
    await asyncio.wait_for(after, 60)
    assert len(slots) == 1
