"""Limits a guest that computes without a pause to a tenth of a core, on machines with few cores.

On two cores, one process that never waits slows a click in a browser by a third, whatever its priority. So the hub
suspends and resumes such a process (SIGSTOP, SIGCONT). Guests that respond soon or wait for the host are not affected.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from .process import GuestProcess

FEW_CORES = 3
UNTHROTTLED_SECONDS = 0.01
POLL_INTERVAL_SECONDS = 0.02
RUN_SECONDS, SUSPEND_SECONDS = 0.005, 0.045


def is_needed() -> bool:
    return (os.cpu_count() or 1) <= FEW_CORES


async def throttle(process: GuestProcess, *, is_long_call: Callable[[], bool], is_busy: Callable[[], bool]) -> None:
    """Runs during a long call, and after it while the guest computes although it has no call."""
    before = process.cpu_seconds()
    try:
        while process.alive:
            computed = process.cpu_seconds()
            computes, before = computed > before, computed
            if not is_long_call() and (is_busy() or not computes):
                return
            if not computes:
                await asyncio.sleep(POLL_INTERVAL_SECONDS)
                continue
            process.suspend()
            await asyncio.sleep(SUSPEND_SECONDS)
            process.resume()
            await asyncio.sleep(RUN_SECONDS)
    finally:
        process.resume()
