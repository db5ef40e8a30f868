"""Owns fire-and-forget asyncio tasks: keeps a reference to each, logs what it raises, and cancels all on close.

Not for tasks whose result somebody awaits: those belong to their caller or to an ``asyncio.TaskGroup``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine

logger = logging.getLogger(__name__)


class BackgroundTasks:
    """Lives as long as its owner. ``close`` ends it; nothing may be spawned afterwards."""

    def __init__(self, owner: str) -> None:
        """``owner`` names the tasks in the log."""
        self._owner = owner
        self._tasks: set[asyncio.Task[object]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def spawn(self, work: Coroutine[object, object, object]) -> asyncio.Task[object]:
        """Run ``work`` in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def cancel(self) -> None:
        """Cancel all tasks without waiting for them."""
        for task in self._tasks:
            task.cancel()

    async def wait(self) -> None:
        """Wait until the tasks that run now have ended; what they raise is only logged."""
        if self._tasks:
            await asyncio.wait(set(self._tasks))

    async def close(self) -> None:
        """Cancel all tasks and wait for their end."""
        self.cancel()
        await self.wait()

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a background task of %s failed", self._owner, exc_info=error)
