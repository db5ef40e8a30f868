"""A real hub process for tests, with its own home and port."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import IO

import httpx
import psutil

from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, read_runtime

from . import fork_server
from .fork_server import ForkedProcess

START_TIMEOUT_SECONDS = 90
STOP_TIMEOUT_SECONDS = 60


@dataclass
class HubProcess:
    process: subprocess.Popen[str] | ForkedProcess
    home: Path
    info: RuntimeInfo

    @property
    def mcp_url(self) -> str:
        return f"http://127.0.0.1:{self.info.port}/mcp"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.info.token}"}

    def http(self) -> httpx.Client:
        return httpx.Client(base_url=f"http://127.0.0.1:{self.info.port}", headers=self.headers, timeout=60)


def environment(home: Path) -> dict[str, str]:
    """The environment for a subprocess that must touch nothing but ``home``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BROWSER_PILOT_")}
    return {**kept, "BROWSER_PILOT_HOME": str(home), "BROWSER_PILOT_PORT": "0"}


@contextmanager
def running_hub(home: Path, *options: str, forked: bool = True) -> Generator[HubProcess]:
    """``forked`` saves most of the time of the start (see ``fork_server``); not for tests of the start and the end."""
    process, output = _start_hub(["serve", *options], environment(home), forked=forked and fork_server.SUPPORTED)
    lines: Queue[str | None] = Queue()
    reader = threading.Thread(target=_read_lines, args=(output, lines), daemon=True)
    reader.start()
    try:
        _wait_for_line(lines, "listens at")
        info = read_runtime(home)
        assert info is not None
        yield HubProcess(process, home, info)
    finally:
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        finally:
            reader.join(STOP_TIMEOUT_SECONDS)
        assert not reader.is_alive(), "a process that the hub started still holds its output"
        assert browsers_of(home) == []


def _start_hub(
    arguments: list[str], environ: dict[str, str], *, forked: bool
) -> tuple[subprocess.Popen[str] | ForkedProcess, IO[str]]:
    if not forked:
        process = subprocess.Popen(
            [sys.executable, "-m", "browser_pilot", *arguments],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        return process, process.stdout
    readable, writable = os.pipe()
    with os.fdopen(writable, "wb"), Path(os.devnull).open("rb") as nothing:
        started = fork_server.start_forked(arguments, environ, (nothing.fileno(), writable, writable))
    return started, os.fdopen(readable, encoding="utf-8")


def _read_lines(output: IO[str], lines: Queue[str | None]) -> None:
    """Reads the output to its end; closes it itself, because closing a stream under its reader is an error there."""
    with output:
        for line in output:
            lines.put(line)
    lines.put(None)


def _wait_for_line(lines: Queue[str | None], wanted: str) -> None:
    seen: list[str] = []
    while True:
        line = lines.get(timeout=START_TIMEOUT_SECONDS)
        if line is None:
            raise AssertionError(f"the hub ended: {''.join(seen)}")
        seen.append(line)
        if wanted in line:
            return


def browsers_of(home: Path) -> list[psutil.Process]:
    """The browser processes that belong to this home."""
    marker = str(home / "tmp")
    found: list[psutil.Process] = []
    for process in psutil.process_iter(["cmdline", "status"]):
        command: list[str] = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and any(marker in part for part in command):
            found.append(process)
    return found


def wait_until_gone(processes: list[psutil.Process], seconds: float = 60) -> None:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    assert alive == []
