"""How many sessions may have a browser at once, over all clients, and who waits for a place. First come, first served.

A session takes a place when it opens its browser, keeps it while that crashes and comes back, and gives it back when it
is closed or put to sleep.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

from ..errors import PilotError


class Places(Protocol):
    """Places that may be shared with other hubs; see ``sharing``."""

    async def take(self, holder: Hashable, *, wait_seconds: float, full: Callable[[], PilotError]) -> None:
        """Raises ``full()`` when none becomes free in time. Taking twice is taking once."""
        ...

    async def give_back(self, holder: Hashable) -> None: ...


class Slots:
    """``most`` is asked each time, so that the setting can change."""

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._holders: set[Hashable] = set()
        self._waiting: deque[tuple[Hashable, asyncio.Future[None]]] = deque()

    def __len__(self) -> int:
        return len(self._holders)

    async def take(self, holder: Hashable, *, wait_seconds: float, full: Callable[[], PilotError]) -> None:
        if holder in self._holders:
            return
        if not self._waiting and len(self._holders) < self._most():
            self._holders.add(holder)
            return
        if wait_seconds <= 0:
            raise full()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((holder, turn))
        try:
            async with asyncio.timeout(wait_seconds):
                await turn
        except TimeoutError:
            # It may have come in the very moment that the time was over.
            if holder not in self._holders:
                raise full() from None
        except BaseException:
            await self.give_back(holder)
            raise
        finally:
            self._waiting = deque(entry for entry in self._waiting if entry[1] is not turn)

    async def give_back(self, holder: Hashable) -> None:
        self._holders.discard(holder)
        while self._waiting and len(self._holders) < self._most():
            following, turn = self._waiting.popleft()
            if not turn.done():
                self._holders.add(following)
                turn.set_result(None)
