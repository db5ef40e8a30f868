"""Enforces the memory limit of the managed browsers: above it, the idle session with the largest heap is put to sleep.

A session is idle when no call uses it and the last one ended some seconds ago; a busy session is never stopped.
Sessions are compared by the heap size of their pages; the total is measured from the processes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from browser_pilot.metrics.process_memory import browsers_bytes

from .registry import SessionRegistry
from .session import Session

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 5.0
IDLE_SECONDS = 5.0
MEGABYTE = 1_048_576


async def measure(limit_bytes: int) -> int:
    return await asyncio.to_thread(browsers_bytes, exact_above=limit_bytes)


class MemoryLimiter:
    """``limit_mb`` is called each time. ``used_bytes`` measures all managed browsers, exactly above its argument."""

    def __init__(
        self,
        sessions: SessionRegistry,
        limit_mb: Callable[[], int],
        *,
        used_bytes: Callable[[int], Awaitable[int]] = measure,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._sessions = sessions
        self._limit_mb = limit_mb
        self._used_bytes = used_bytes
        self._idle_seconds = idle_seconds

    async def run(self) -> None:
        """Check every few seconds until cancelled."""
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            if any(session.is_open for session in self._sessions):
                await self.enforce()

    async def enforce(self) -> Session | None:
        """Put one session to sleep if the limit is exceeded; returns it."""
        used_mb = await self._used_bytes(self._limit_mb() * MEGABYTE) / MEGABYTE
        if used_mb <= self._limit_mb():
            return None
        before = time.monotonic() - self._idle_seconds
        idle = [one for one in self._sessions if one.is_open and not one.busy and one.last_used < before]
        sizes = await asyncio.gather(*(session.heap_bytes() for session in idle))
        for _, session in sorted(zip(sizes, idle, strict=True), key=lambda pair: pair[0], reverse=True):
            if await session.sleep():
                logger.warning(
                    "the browsers use %.0f MB, above the limit of %d MB: session %s was put to sleep",
                    used_mb,
                    self._limit_mb(),
                    session.id,
                )
                return session
        return None
