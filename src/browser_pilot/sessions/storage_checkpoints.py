"""When a session's storage is looked at, so that it can be put back after a crash: soon after use, and not too often.

Looking costs the browser something, so that what a look cost decides how long the next one waits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

AFTER_USE_SECONDS = 1.0
SHORTEST_SECONDS = 5.0
# Looking may take this part of the time.
SHARE = 1 / 20


class Checkpoints:
    """``take`` looks; while ``is_busy`` says so, it waits. One look at a time."""

    def __init__(self, take: Callable[[], Awaitable[object]], is_busy: Callable[[], bool]) -> None:
        self._take = take
        self._is_busy = is_busy
        self._not_before = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None

    def due(self) -> None:
        """The session was used."""
        if self._timer is None:
            delay = max(AFTER_USE_SECONDS, self._not_before - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay, self._begin)

    async def close(self) -> None:
        self.pause()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    def pause(self) -> None:
        """Until it is due again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._timer = None
        is_looking = self._looking is not None and not self._looking.done()
        if is_looking or self._is_busy() or time.monotonic() < self._not_before:
            self.due()
        else:
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        started = time.monotonic()
        await self._take()
        ended = time.monotonic()
        self._not_before = ended + max(SHORTEST_SECONDS, (ended - started) / SHARE)
