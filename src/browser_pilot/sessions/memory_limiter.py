"""Keeps the browsers within their memory: when they have more, the greediest idle session is put to sleep.

A session is idle when no call works with it and its last one is some seconds ago: never is a busy one stopped. What a
session costs is what its pages have on their heaps; what all cost together is measured from the processes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from ..records.memory import browsers_bytes
from .registry import SessionRegistry
from .session import Session

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
IDLE_SECONDS = 5.0
MEGABYTE = 1_048_576


async def measure(most: int) -> int:
    return await asyncio.to_thread(browsers_bytes, exact_above=most)


class Keeper:
    """``most_mb`` is asked each time. ``used_bytes`` measures all managed browsers, exactly from so much on."""

    def __init__(
        self,
        sessions: SessionRegistry,
        most_mb: Callable[[], int],
        *,
        used_bytes: Callable[[int], Awaitable[int]] = measure,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._sessions = sessions
        self._most_mb = most_mb
        self._used_bytes = used_bytes
        self._idle_seconds = idle_seconds

    async def run(self) -> None:
        """Look every few seconds, for as long as this runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if any(session.is_open for session in self._sessions):
                await self.look()

    async def look(self) -> Session | None:
        """Put one session to sleep when there is too little memory left for all; which it was."""
        used_mb = await self._used_bytes(self._most_mb() * MEGABYTE) / MEGABYTE
        if used_mb <= self._most_mb():
            return None
        before = time.monotonic() - self._idle_seconds
        idle = [one for one in self._sessions if one.is_open and not one.busy and one.last_used < before]
        weights = await asyncio.gather(*(session.weight() for session in idle))
        for _, session in sorted(zip(weights, idle, strict=True), key=lambda pair: pair[0], reverse=True):
            if await session.sleep():
                logger.warning(
                    "the browsers use %.0f MB, more than the %d allowed: session %s was put to sleep",
                    used_mb,
                    self._most_mb(),
                    session.id,
                )
                return session
        return None
