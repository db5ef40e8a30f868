"""Places for sessions: so many and no more, and those who wait get theirs in order."""

from __future__ import annotations

import asyncio

import pytest

from browser_pilot.errors import SessionLimit
from browser_pilot.sessions.slots import Slots


def full() -> SessionLimit:
    return SessionLimit("full")


async def take(slots: Slots, holder: str, wait_seconds: float = 0) -> None:
    await slots.take(holder, wait_seconds=wait_seconds, full=full)


async def test_the_one_too_many_is_refused_and_taking_twice_is_taking_once() -> None:
    slots = Slots(lambda: 2)
    for holder in ("a", "b", "a"):
        await take(slots, holder)
    with pytest.raises(SessionLimit):
        await take(slots, "c")
    await slots.give_back("a")
    await take(slots, "c")
    assert len(slots) == 2


async def test_those_who_wait_are_served_in_order_and_nobody_overtakes_them() -> None:
    slots = Slots(lambda: 1)
    await take(slots, "first")
    served: list[str] = []

    async def queue(name: str) -> None:
        await take(slots, name, 30)
        served.append(name)

    waiting = [asyncio.create_task(queue(name)) for name in ("b", "c")]
    await asyncio.sleep(0)
    await slots.give_back("first")
    with pytest.raises(SessionLimit):
        await take(slots, "overtaker")
    await waiting[0]
    await slots.give_back("b")
    await waiting[1]
    assert served == ["b", "c"]


async def test_who_waited_in_vain_or_gave_up_leaves_no_place_taken() -> None:
    slots = Slots(lambda: 1)
    await take(slots, "first")
    with pytest.raises(SessionLimit):
        await take(slots, "late", 0.01)
    quitter = asyncio.create_task(take(slots, "quitter", 30))
    await asyncio.sleep(0)
    quitter.cancel()
    await asyncio.wait({quitter})
    await slots.give_back("first")
    await take(slots, "next")
    assert len(slots) == 1


async def test_who_is_called_and_gives_up_in_the_same_moment_passes_the_place_on() -> None:
    slots = Slots(lambda: 1)
    await take(slots, "first")
    called = asyncio.create_task(take(slots, "called", 30))
    after = asyncio.create_task(take(slots, "after", 30))
    await asyncio.sleep(0)
    await slots.give_back("first")
    called.cancel()
    await asyncio.wait_for(after, 5)
    assert len(slots) == 1
