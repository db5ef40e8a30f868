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

import httpx
import psutil

from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, read_runtime

START_TIMEOUT_SECONDS = 90
STOP_TIMEOUT_SECONDS = 20


@dataclass
class HubProcess:
    process: subprocess.Popen[str]
    home: Path
    info: RuntimeInfo

    @property
    def mcp_url(self) -> str:
        return f"http://127.0.0.1:{self.info.port}/mcp"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.info.token}"}

    def http(self) -> httpx.Client:
        return httpx.Client(base_url=f"http://127.0.0.1:{self.info.port}", headers=self.headers, timeout=20)


def environment(home: Path) -> dict[str, str]:
    """The environment for a subprocess that must touch nothing but ``home``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BROWSER_PILOT_")}
    return {**kept, "BROWSER_PILOT_HOME": str(home), "BROWSER_PILOT_PORT": "0"}


@contextmanager
def running_hub(home: Path, *options: str) -> Generator[HubProcess]:
    process = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "serve", *options],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _wait_for_line(process, "listens at")
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
            if process.stdout is not None:
                process.stdout.close()
        assert browsers_of(home) == []


def _wait_for_line(process: subprocess.Popen[str], wanted: str) -> None:
    lines: Queue[str | None] = Queue()

    def pump() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=pump, daemon=True).start()
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


def wait_until_gone(processes: list[psutil.Process], seconds: float = 10) -> None:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    assert alive == []
