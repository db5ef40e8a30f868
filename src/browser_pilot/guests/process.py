"""A guest's process as the hub sees it: started with nothing, spoken to in JSON lines, ended by SIGKILL.

It gets no environment, no files but its three streams, and the folders to import from as arguments. What runs in it is
in ``child/``; wasmtime is never imported on this side.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import psutil

from ..errors import GuestFailed

CHILD = Path(__file__).parent / "child" / "__main__.py"
NICE = 5
SPARE_DELAY_SECONDS = 0.5
_PACKAGES = ("browser_pilot", "wasmtime", "ada_url", "_cffi_backend")


class GuestProcess:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        assert process.stdin is not None  # noqa: S101  both are pipes, see below
        assert process.stdout is not None  # noqa: S101
        self._input, self._output = process.stdin, process.stdout
        self._handle = _handle(process.pid)

    @classmethod
    async def start(cls, *, longest_line: int) -> GuestProcess:
        """A process that waits for its orders."""
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
            limit=longest_line,
        )
        # Whatever a guest's process does, starting included, the hub and the browsers go first.
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
        """Does not wait: a guest that never reads must not hold up whoever sends."""
        if not self._input.is_closing():
            self._input.write(json.dumps(message).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None when the process has ended, or has sent what it should not."""
        try:
            line = await self._output.readline()
            message: object = json.loads(line) if line.endswith(b"\n") else None
        except (ValueError, RecursionError, ConnectionError):
            message = None
        return cast("dict[str, Any]", message) if isinstance(message, dict) else None

    def computed_seconds(self) -> float:
        """The processor time that it has had so far."""
        try:
            if sys.platform.startswith("linux"):
                return int(Path(f"/proc/{self.pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
            return psutil.Process(self.pid).cpu_times().user
        except (OSError, psutil.Error):
            return 0.0

    def stop(self) -> None:
        """Let it stand still until ``go_on``."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, number)
            else:
                self._process.send_signal(number)

    async def end(self) -> None:
        """Kill it and wait until it is gone."""
        self.kill()
        await self._process.wait()
        self._input.close()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class Spare:
    """One process that has started already and waits for orders: most of what a start takes is then done before.

    No guest has run in it. Made anew, in the background, when the one that took the last has had time to begin.
    """

    def __init__(self) -> None:
        self._process: asyncio.Task[GuestProcess] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def take(self, *, longest_line: int) -> GuestProcess:
        self._stop_waiting()
        task, self._process = self._process, None
        if task is not None and (process := await task).alive:
            return process
        return await GuestProcess.start(longest_line=longest_line)

    def prepare(self, *, longest_line: int) -> None:
        def begin() -> None:
            self._timer = None
            self._process = asyncio.ensure_future(GuestProcess.start(longest_line=longest_line))

        if self._process is None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SPARE_DELAY_SECONDS, begin)

    def _stop_waiting(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    async def end(self) -> None:
        self._stop_waiting()
        task, self._process = self._process, None
        if task is not None:
            await (await task).end()


def _handle(pid: int) -> int | None:
    """On Linux, what stands for this very process: asyncio's own way to end one may take its exit from asyncio."""
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
