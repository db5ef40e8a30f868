"""When a session's storage is read, so that it can be restored after a crash: soon after use, at a bounded cost.

Reading costs the browser time; the cost of one checkpoint sets the minimum delay until the next.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

AFTER_USE_SECONDS = 1.0
MIN_INTERVAL_SECONDS = 5.0
# The share of the time that checkpoints may take.
MAX_SHARE = 1 / 20


class StorageCheckpoints:
    """``checkpoint`` reads the storage; it is postponed while ``is_busy``. One checkpoint runs at a time."""

    def __init__(self, checkpoint: Callable[[], Awaitable[object]], is_busy: Callable[[], bool]) -> None:
        self._checkpoint = checkpoint
        self._is_busy = is_busy
        self._not_before = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None

    def schedule(self) -> None:
        """The session was used: read its storage soon."""
        if self._timer is None:
            delay = max(AFTER_USE_SECONDS, self._not_before - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay, self._on_timer)

    async def close(self) -> None:
        self.pause()
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    def pause(self) -> None:
        """Until the next ``schedule``."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        is_running = self._running is not None and not self._running.done()
        if is_running or self._is_busy() or time.monotonic() < self._not_before:
            self.schedule()
        else:
            self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        started = time.monotonic()
        await self._checkpoint()
        ended = time.monotonic()
        self._not_before = ended + max(MIN_INTERVAL_SECONDS, (ended - started) / MAX_SHARE)
