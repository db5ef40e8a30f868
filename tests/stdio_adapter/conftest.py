"""Adapters as real processes with their own home, and fake hubs; all are ended after each test."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

import pytest

from browser_pilot.json_types import JsonObject

from .fake_hub import WAIT_SECONDS, FakeHub

INITIALIZE: JsonObject = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED: JsonObject = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(request_id: int | str, name: str, **arguments: Any) -> JsonObject:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


class AdapterProcess:
    """A client's view of one adapter."""

    def __init__(self, home: Path, *options: str, environ: dict[str, str], script: bool = True) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end()
        command = [str(Path(__file__).with_name("launch.py"))] if script else ["-m", "browser_pilot"]
        self.process = subprocess.Popen(
            [sys.executable, *command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env={**os.environ, "BROWSER_PILOT_HOME": str(home), **environ},
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def send(self, message: JsonObject | bytes) -> None:
        self.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.stdin.flush()

    def receive_line(self) -> bytes | None:
        """The next line, or ``None`` at the end."""
        return self._lines.get(timeout=WAIT_SECONDS)

    def receive(self) -> JsonObject:
        line = self.receive_line()
        assert line is not None, f"the adapter ended: {self.stderr()}"
        return json.loads(line)

    def ask(self, message: JsonObject) -> JsonObject:
        self.send(message)
        return self.receive()

    def initialize(self) -> None:
        self.ask(INITIALIZE)
        self.send(INITIALIZED)

    def finish(self) -> int:
        """Close its input and wait for it to exit."""
        self.stdin.close()
        return self.process.wait(WAIT_SECONDS)

    def stderr(self) -> str:
        """What it has written to standard error so far."""
        self.errors.seek(0)
        return self.errors.read().decode()

    def end(self) -> None:
        self.process.kill()
        self.process.wait(WAIT_SECONDS)
        self._reader.join(WAIT_SECONDS)
        with suppress(OSError):
            self.stdin.close()
        self.stdout.close()
        self.errors.close()

    def _read(self) -> None:
        for line in self.stdout:
            self._lines.put(line.removesuffix(b"\n"))
        self._lines.put(None)


class StartAdapter(Protocol):
    def __call__(self, *options: str, environ: dict[str, str] | None = None, script: bool = True) -> AdapterProcess: ...


class StartHub(Protocol):
    def __call__(self, **options: Any) -> FakeHub: ...


@pytest.fixture
def home() -> Iterator[Path]:
    """A short path: that of a Unix socket is limited to about a hundred characters."""
    with tempfile.TemporaryDirectory(prefix="bp") as folder:
        path = Path(folder) / "home"
        yield path
        for pid in started_hubs(path):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def started_hubs(home: Path) -> list[int]:
    """The process ids of the hubs that adapters have started, in order."""
    starts = home / "starts"
    return [int(pid) for pid in starts.read_text().split()] if starts.exists() else []


@pytest.fixture
def start_adapter(home: Path) -> Iterator[StartAdapter]:
    adapters: list[AdapterProcess] = []

    def start(*options: str, environ: dict[str, str] | None = None, script: bool = True) -> AdapterProcess:
        adapters.append(AdapterProcess(home, *options, environ=environ or {}, script=script))
        return adapters[-1]

    yield start
    for adapter in adapters:
        adapter.end()


@pytest.fixture
def start_hub(home: Path) -> Iterator[StartHub]:
    hubs: list[FakeHub] = []

    def start(**options: Any) -> FakeHub:
        hubs.append(FakeHub(home, **options).start())
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.stop()


@pytest.fixture
def hub(start_hub: StartHub) -> FakeHub:
    return start_hub()
