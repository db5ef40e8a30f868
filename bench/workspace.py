"""Isolates one measurement: a folder, and a marker in the environment that identifies its processes.

Peers detach daemons, so the child processes are not enough: every process that we start has the marker in its
environment, and descendants inherit it. Chromium's renderers overwrite theirs, so children of marked processes count
too. ``Workspace.create`` makes the folder; ``Workspace.close`` ends all processes and removes it.
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

# Without the BROWSER_PILOT_ prefix, which would make it an unknown setting.
MARKER = "PILOT_BENCH_MARK"
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Workspace:
    """A separate folder and marker: processes of two workspaces share nothing, so each one starts cold."""

    marker: str
    folder: Path

    @classmethod
    def create(cls) -> Workspace:
        marker = uuid.uuid4().hex[:12]
        return cls(marker=marker, folder=Path(tempfile.mkdtemp(prefix=f"bench-{marker}-")))

    def environ(self, **extra: str) -> dict[str, str]:
        """Returns our environment with the marker; HOME is the workspace, so that peers leave no files elsewhere."""
        return {**os.environ, MARKER: self.marker, "HOME": str(self.folder), "CI": "1", **extra}

    def processes(self) -> list[psutil.Process]:
        found: dict[int, psutil.Process] = {}
        for process in psutil.process_iter():
            if process.pid == os.getpid():
                continue
            try:
                if process.environ().get(MARKER) == self.marker:
                    found[process.pid] = process
                    found |= {child.pid: child for child in process.children(recursive=True)}
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return [process for process in found.values() if _is_alive(process)]

    def wait_until_empty(self, *, seconds: float) -> int:
        """Waits until all processes have ended or the time is up, and returns the number that is left."""
        deadline = time.monotonic() + seconds
        while (left := len(self.processes())) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return left

    def memory_mb(self) -> float:
        """Returns the sum of the proportional set sizes: shared pages count once."""
        return sum(_pss_bytes(process) for process in self.processes()) / 2**20

    def close(self) -> None:
        processes = self.processes()
        for process in processes:
            _signal(process, graceful=True)
        psutil.wait_procs(processes, timeout=3)
        for process in self.processes():
            _signal(process, graceful=False)
        self.wait_until_empty(seconds=3)
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _signal(process: psutil.Process, *, graceful: bool) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate() if graceful else process.kill()


def _pss_bytes(process: psutil.Process) -> int:
    try:
        memory = process.memory_full_info()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0
    # Only Linux has the proportional set size; the unique set size is the closest elsewhere.
    return int(getattr(memory, "pss", memory.uss))
