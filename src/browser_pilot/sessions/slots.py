"""How many sessions may have a browser at once, over all clients. Waiting sessions are served in order.

A session acquires a slot when it opens its browser, keeps it through a crash, and releases it when it is closed or put
to sleep.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

from browser_pilot.errors import PilotError


class SessionSlots(Protocol):
    """Slots of one hub (``LocalSlots``), or shared with other hubs (``redis_backend``)."""

    async def acquire(self, holder: Hashable, *, wait_seconds: float, limit_error: Callable[[], PilotError]) -> None:
        """Raises ``limit_error()`` when no slot becomes free in time. Idempotent per holder."""
        ...

    async def release(self, holder: Hashable) -> None: ...


class LocalSlots:
    """``limit`` is called each time, so that the setting can change."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._holders: set[Hashable] = set()
        self._waiting: deque[tuple[Hashable, asyncio.Future[None]]] = deque()

    def __len__(self) -> int:
        return len(self._holders)

    async def acquire(self, holder: Hashable, *, wait_seconds: float, limit_error: Callable[[], PilotError]) -> None:
        if holder in self._holders:
            return
        if not self._waiting and len(self._holders) < self._limit():
            self._holders.add(holder)
            return
        if wait_seconds <= 0:
            raise limit_error()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((holder, turn))
        try:
            async with asyncio.timeout(wait_seconds):
                await turn
        except TimeoutError:
            # The slot may have been assigned at the moment of the timeout.
            if holder not in self._holders:
                raise limit_error() from None
        except BaseException:
            await self.release(holder)
            raise
        finally:
            self._waiting = deque(entry for entry in self._waiting if entry[1] is not turn)

    async def release(self, holder: Hashable) -> None:
        self._holders.discard(holder)
        while self._waiting and len(self._holders) < self._limit():
            following, turn = self._waiting.popleft()
            if not turn.done():
                self._holders.add(following)
                turn.set_result(None)
