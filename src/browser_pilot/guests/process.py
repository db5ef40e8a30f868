"""A guest's process as the hub sees it: started with nothing, connected by JSON lines, ended by SIGKILL.

It gets no environment, no files but its three streams, and the folders to import from as arguments. The code that runs
in it is in ``child/``; wasmtime is never imported on this side.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import psutil

from browser_pilot.errors import GuestFailed
from browser_pilot.safe_text import parse_json

CHILD = Path(__file__).parent / "child" / "__main__.py"
NICE = 5
WARM_UP_DELAY_SECONDS = 0.5
_CPUCLOCK_SCHED = 2
_PACKAGES = ("browser_pilot", "wasmtime", "ada_url", "_cffi_backend")


class GuestProcess:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        assert process.stdin is not None  # noqa: S101  both are pipes, see below
        assert process.stdout is not None  # noqa: S101
        self._input, self._output = process.stdin, process.stdout
        self._pidfd = _open_pidfd(process.pid)

    @classmethod
    async def start(cls, *, max_line_bytes: int) -> GuestProcess:
        """A process that waits for its command."""
        if sys.platform == "win32":
            raise GuestFailed("Guests do not run on Windows yet.")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(CHILD),
            *_import_folders(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
            limit=max_line_bytes,
        )
        # The hub and the browsers have priority over a guest's process, also while it starts.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + NICE)
        return cls(process)

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Mapping[str, object]) -> None:
        """Does not wait: a guest that never reads must not block the caller."""
        if not self._input.is_closing():
            self._input.write(json.dumps(message).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None when the process has ended or has sent an invalid one."""
        try:
            line = await self._output.readline()
            message: object = parse_json(line) if line.endswith(b"\n") else None
        except (ValueError, RecursionError, ConnectionError):
            message = None
        return cast("dict[str, Any]", message) if isinstance(message, dict) else None

    def cpu_seconds(self) -> float:
        """The CPU time that it has used so far."""
        try:
            if sys.platform.startswith("linux"):
                # clock_getcpuclockid(3): all threads, in nanoseconds.
                return time.clock_gettime((~self.pid << 3) | _CPUCLOCK_SCHED)
            return psutil.Process(self.pid).cpu_times().user
        except (OSError, psutil.Error):
            return 0.0

    def suspend(self) -> None:
        """Stop it until ``resume``."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._pidfd is not None:
                signal.pidfd_send_signal(self._pidfd, number)
            else:
                self._process.send_signal(number)

    async def terminate(self) -> None:
        """Kill it and wait for its end."""
        self.kill()
        await self._process.wait()
        self._input.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None


class WarmProcess:
    """One process that is started before it is needed and waits for its command, which makes starting a guest fast.

    No guest has run in it. The next one starts in the background, a short time after the last was taken.
    """

    def __init__(self) -> None:
        self._process: asyncio.Task[GuestProcess] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def take(self, *, max_line_bytes: int) -> GuestProcess:
        self._cancel_timer()
        task, self._process = self._process, None
        if task is not None and (process := await task).alive:
            return process
        return await GuestProcess.start(max_line_bytes=max_line_bytes)

    def prepare(self, *, max_line_bytes: int) -> None:
        def begin() -> None:
            self._timer = None
            self._process = asyncio.ensure_future(GuestProcess.start(max_line_bytes=max_line_bytes))

        if self._process is None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WARM_UP_DELAY_SECONDS, begin)

    def _cancel_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    async def close(self) -> None:
        self._cancel_timer()
        task, self._process = self._process, None
        if task is not None:
            await (await task).terminate()


def _open_pidfd(pid: int) -> int | None:
    """A pidfd on Linux: asyncio's own ``send_signal`` may reap the process before asyncio's watcher does."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


@cache
def _import_folders() -> tuple[str, ...]:
    specs = [importlib.util.find_spec(name) for name in _PACKAGES]
    folders = [_folder_above(Path(spec.origin), spec.name) for spec in specs if spec is not None and spec.origin]
    return tuple(dict.fromkeys(map(str, folders)))


def _folder_above(origin: Path, name: str) -> Path:
    return origin.parent.parent if origin.name == "__init__.py" else origin.parent
