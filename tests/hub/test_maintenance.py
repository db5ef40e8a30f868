"""The hub's chores end when the hub does."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from browser_pilot.config import Settings
from browser_pilot.housekeeping import Housekeeper


class Leaving(list[str]):
    """The clients of a hub, of whom the last has just left."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()


class Nothing:
    """Every other part of the hub: all that it is asked to do is done at once."""

    def __getattr__(self, _name: str) -> Any:
        async def done(*_: object) -> None:
            return None

        return done


async def test_a_client_that_leaves_in_the_moment_of_the_end_does_not_keep_the_chores_going() -> None:
    clients, nothing = Leaving(), cast("Any", Nothing())
    keeper = Housekeeper.__new__(Housekeeper)
    own: dict[str, object] = {"settings": Settings, "clients": clients, "is_watched": lambda: True, "on_unneeded": None}
    for name, part in own.items():
        setattr(keeper, f"_{name}", part)
    for chore in ("keep_egress", "end_unused", "remove_old"):
        setattr(keeper, f"_{chore}", nothing.anything)
    running = asyncio.create_task(keeper.run())
    for _ in range(5):
        await asyncio.sleep(0)  # it waits for a change by now
    clients.changed.set()
    await asyncio.sleep(0)
    running.cancel()
    done, _ = await asyncio.wait({running}, timeout=5)
    assert done == {running} and running.cancelled()
