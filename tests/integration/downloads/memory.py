"""Measures the memory of the hub and its browser, and its peak."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

# For 500 MB. Next to other tests, buffers may be larger for a moment; the short test allows more.
MAX_GROWTH_MB = 64


@dataclass
class Peak:
    mb: float


def memory_mb(*pids: int) -> float:
    """The memory of processes and all their children: private, and shared counted once."""
    total_kb = 0
    for process in map(psutil.Process, pids):
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error, OSError):
                total_kb += _anonymous_kb(one.pid)
    return total_kb / 1024


def _anonymous_kb(pid: int) -> int:
    """Without mapped files: their share depends on how many other processes map the browser's program."""
    facts = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in facts if line.startswith(("Pss_Anon:", "Pss_Shmem:")))


@asynccontextmanager
async def peak_memory_mb(*pids: int) -> AsyncGenerator[Peak]:
    """The maximum in the ``with`` block, sampled four times a second."""
    peak = Peak(memory_mb(*pids))

    async def sample() -> None:
        while True:
            peak.mb = max(peak.mb, await asyncio.to_thread(memory_mb, *pids))
            await asyncio.sleep(0.25)

    sampling = asyncio.create_task(sample())
    try:
        yield peak
    finally:
        sampling.cancel()
