"""Limits a guest that computes for long to half a core, on machines with few cores.

On two cores, a process that never waits slows a click in a browser, whatever its priority. So the hub suspends and
resumes such a process (SIGSTOP, SIGCONT), once it has computed for ``FULL_SPEED_SECONDS`` in one call. A guest that had
to be ended because it computed or ran for too long has no such time for a while after: only its first call is fast.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from .process import GuestProcess

FEW_CORES = 3
FULL_SPEED_SECONDS = 2.0
# A call that is open for less is not looked at.
LONG_CALL_SECONDS = 0.5
OFFENDER_SECONDS = 60.0
POLL_INTERVAL_SECONDS = 0.02
RUN_SECONDS = SUSPEND_SECONDS = 0.02


def is_needed() -> bool:
    return (os.cpu_count() or 1) <= FEW_CORES


async def throttle(
    process: GuestProcess,
    *,
    full_speed_seconds: float,
    is_long_call: Callable[[], bool],
    is_busy: Callable[[], bool],
) -> None:
    """Runs during a long call, and after it while the guest computes although it has no call."""
    since = before = process.cpu_seconds()
    try:
        while process.alive:
            computed = process.cpu_seconds()
            computes, before = computed > before, computed
            if not is_long_call() and (is_busy() or not computes):
                return
            if not computes or computed - since < full_speed_seconds:
                await asyncio.sleep(POLL_INTERVAL_SECONDS)
                continue
            process.suspend()
            await asyncio.sleep(SUSPEND_SECONDS)
            process.resume()
            await asyncio.sleep(RUN_SECONDS)
    finally:
        process.resume()


class Offenders:
    """The guests that had to be ended a short time ago."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def add(self, guest: str) -> None:
        now = self._clock()
        self._until = {name: until for name, until in self._until.items() if until > now}
        self._until[guest] = now + OFFENDER_SECONDS

    def full_speed_seconds(self, guest: str) -> float:
        return 0.0 if self._until.get(guest, 0.0) > self._clock() else FULL_SPEED_SECONDS
