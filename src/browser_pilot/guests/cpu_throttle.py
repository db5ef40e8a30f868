"""Keeps a guest that computes on and on from slowing everything else: where cores are few, it gets a tenth of one.

On two cores, one process that never waits slows a click in a browser by a third, whatever its priority. So the hub
stops and continues such a process. Guests that answer soon, or wait for the host, never notice.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from .process import GuestProcess

FEW_CORES = 3
BURST_SECONDS = 0.01
LOOK_SECONDS = 0.02
WORK_SECONDS, REST_SECONDS = 0.005, 0.045


def is_needed() -> bool:
    return (os.cpu_count() or 1) <= FEW_CORES


async def pace(process: GuestProcess, *, lasts: Callable[[], bool], busy: Callable[[], bool]) -> None:
    """While a call ``lasts``, or the guest goes on computing though it is not ``busy`` with any."""
    last = process.computed_seconds()
    try:
        while process.alive:
            computed = process.computed_seconds()
            computes, last = computed > last, computed
            if not lasts() and (busy() or not computes):
                return
            if not computes:
                await asyncio.sleep(LOOK_SECONDS)
                continue
            process.stop()
            await asyncio.sleep(REST_SECONDS)
            process.go_on()
            await asyncio.sleep(WORK_SECONDS)
    finally:
        process.go_on()
