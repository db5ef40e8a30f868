"""Whether the event loop goes on while hostile work runs: a ticker in the same loop, started before the work.

No absolute times: on a busy machine every tick is late. A loop that is blocked for the whole work has no ticks at all,
however slow the machine is; one that is free has many.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

TICK_SECONDS = 0.01


@dataclass
class Ticks:
    """The moments at which the loop ran the ticker; ``longest_block_seconds`` is the longest time between two."""

    at: list[float] = field(default_factory=list[float])

    @property
    def count(self) -> int:
        return len(self.at)

    @property
    def longest_block_seconds(self) -> float:
        return max((later - earlier for earlier, later in zip(self.at, self.at[1:], strict=False)), default=0.0)


@contextlib.asynccontextmanager
async def ticks_during() -> AsyncGenerator[Ticks]:
    """Counts ticks of the loop while the block runs."""
    ticks = Ticks()

    async def tick() -> None:
        while True:
            ticks.at.append(time.perf_counter())
            await asyncio.sleep(TICK_SECONDS)

    task = asyncio.create_task(tick())
    await asyncio.sleep(0)
    ticks.at[:] = [time.perf_counter()]
    try:
        yield ticks
    finally:
        ticks.at.append(time.perf_counter())
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
