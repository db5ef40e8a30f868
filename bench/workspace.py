"""The processes of one measurement: found by a mark in their environment, weighed, and ended.

Peers detach daemons, so a parent's children are not enough: every process that we start carries a mark in its
environment, which its descendants inherit. Chromium's renderers overwrite theirs, so the children of marked
processes count too. A ``Den`` lives from ``Den.create`` to ``Den.end``; nothing of it survives ``end``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import psutil

# Not BROWSER_PILOT_…: that would be an unknown setting.
MARK = "PILOT_BENCH_MARK"
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Den:
    """A folder and a mark of its own: what is started in one den shares nothing with another, so it starts cold."""

    mark: str
    folder: Path

    @classmethod
    def create(cls) -> Den:
        mark = uuid.uuid4().hex[:12]
        return cls(mark=mark, folder=Path(tempfile.mkdtemp(prefix=f"bench-{mark}-")))

    def environ(self, **extra: str) -> dict[str, str]:
        """This process's environment with the mark; HOME is the den, so that peers leave no files elsewhere."""
        return {**os.environ, MARK: self.mark, "HOME": str(self.folder), "CI": "1", **extra}

    def processes(self) -> list[psutil.Process]:
        found: dict[int, psutil.Process] = {}
        for process in psutil.process_iter():
            if process.pid == os.getpid():
                continue
            try:
                if process.environ().get(MARK) == self.mark:
                    found[process.pid] = process
                    found |= {child.pid: child for child in process.children(recursive=True)}
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return [process for process in found.values() if _is_alive(process)]

    def wait_until_empty(self, *, seconds: float) -> int:
        """How many processes are left when all have gone or the time is over."""
        deadline = time.monotonic() + seconds
        while (left := len(self.processes())) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return left

    def memory_mb(self) -> float:
        """The proportional set size of all of them: shared pages are counted once."""
        return sum(_pss_bytes(process) for process in self.processes()) / 2**20

    def end(self) -> None:
        processes = self.processes()
        for process in processes:
            _signal(process, gently=True)
        psutil.wait_procs(processes, timeout=3)
        for process in self.processes():
            _signal(process, gently=False)
        self.wait_until_empty(seconds=3)
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _signal(process: psutil.Process, *, gently: bool) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate() if gently else process.kill()


def _pss_bytes(process: psutil.Process) -> int:
    try:
        memory = process.memory_full_info()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0
    # Only Linux knows the proportional size; elsewhere what is unique to the process comes nearest.
    return int(getattr(memory, "pss", memory.uss))
