"""How much memory the hub and its browser need, and how much at most."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

# For 500 MB. Beside other tests buffers may be fuller for a moment; small rounds allow for that.
MOST_MORE_MB = 64


@dataclass
class Peak:
    mb: float


def memory_mb(*pids: int) -> float:
    """Of processes and all below them, what they hold in memory alone, and what they share counted once."""
    total_kb = 0
    for process in map(psutil.Process, pids):
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error, OSError):
                total_kb += _held_kb(one.pid)
    return total_kb / 1024


def _held_kb(pid: int) -> int:
    """Without mapped files: how much of the browser's own program counts depends on who else runs it just now."""
    facts = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in facts if line.startswith(("Pss_Anon:", "Pss_Shmem:")))


@asynccontextmanager
async def peak_memory_mb(*pids: int) -> AsyncGenerator[Peak]:
    """The most while this lasts, looked at four times a second."""
    peak = Peak(memory_mb(*pids))

    async def look() -> None:
        while True:
            peak.mb = max(peak.mb, await asyncio.to_thread(memory_mb, *pids))
            await asyncio.sleep(0.25)

    looking = asyncio.create_task(look())
    try:
        yield peak
    finally:
        looking.cancel()
