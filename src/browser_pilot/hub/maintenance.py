"""Periodic maintenance of a running hub: runs a list of jobs, and stops a hub that has no users.

Jobs run one after the other in rounds: at a fixed interval, and at once when a client connects or disconnects. What the
jobs do is decided in ``maintenance_jobs``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from browser_pilot.config.live_reload import CurrentConfig

logger = logging.getLogger(__name__)

ROUND_SECONDS = 30.0


@dataclass(frozen=True)
class Job:
    """Runs in the first round, and then in the first round after each interval; by default in every round."""

    name: str
    run: Callable[[], Awaitable[object]]
    interval_seconds: float = 0.0


class Maintenance:
    """``wake`` starts a round at once. A job that raises ends the maintenance."""

    def __init__(
        self,
        jobs: Sequence[Job],
        *,
        wake: asyncio.Event,
        config: CurrentConfig,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._jobs = jobs
        self._wake = wake
        self._config = config
        self._clock = clock
        self._due = dict.fromkeys((job.name for job in jobs), clock())

    async def run(self) -> None:
        """Run rounds until cancelled."""
        while True:
            self._wake.clear()
            # Not wait_for: before Python 3.12 it loses a cancellation that arrives together with the event.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(ROUND_SECONDS, idle_seconds(self._config))):
                    await self._wake.wait()
            await self.run_due()

    async def run_due(self) -> None:
        """One round."""
        for job in self._jobs:
            if self._clock() < self._due[job.name]:
                continue
            self._due[job.name] = self._clock() + job.interval_seconds
            try:
                await job.run()
            except Exception as error:
                error.add_note(f"in the maintenance job {job.name!r}")
                raise


class IdleShutdown:
    """Calls ``stop`` when the hub has not been in use for its idle time, counted from the creation of this object."""

    def __init__(
        self,
        *,
        config: CurrentConfig,
        in_use: Callable[[], bool],
        stop: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._in_use = in_use
        self._stop = stop
        self._clock = clock
        self._last_used = clock()

    async def check(self) -> None:
        if self._in_use():
            self._last_used = self._clock()
        elif self._clock() - self._last_used >= idle_seconds(self._config):
            logger.info("stopping: not in use for %.1f minutes", self._config.settings.hub.idle_minutes)
            self._stop()


def idle_seconds(config: CurrentConfig) -> float:
    return config.settings.hub.idle_minutes * 60
