"""How a running hub is found: a private file with its address, and a lock so that only one hub is started.

Standard library only, because the adapter imports it. The hub writes the file when it is ready and removes it when it
ends. A stale file of a killed hub is harmless, since no process listens on its socket.

The process that starts a hub holds ``hub_lock`` until the hub is ready. A detached hub must therefore not acquire it.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

from browser_pilot.file_lock import locked
from browser_pilot.home import write_private

LOCK_TIMEOUT_SECONDS = 45.0


class RuntimeInfo(NamedTuple):
    """The hub's address and bearer token.

    A named tuple, like those of the adapter: importing ``dataclasses`` would be a fifth of the adapter's start-up time.
    """

    pid: int
    started: float
    version: str
    host: str
    port: int
    socket: str
    """The path of a Unix socket, or ``tcp:PORT`` on loopback where there are none (Windows)."""
    token: str
    detached: bool

    def __repr__(self) -> str:
        return f"RuntimeInfo(pid={self.pid}, version={self.version!r}, port={self.port}, socket={self.socket!r})"


_FIELD_TYPES: dict[str, tuple[type, ...]] = {
    "pid": (int,),
    "started": (int, float),
    "version": (str,),
    "host": (str,),
    "port": (int,),
    "socket": (str,),
    "token": (str,),
    "detached": (bool,),
}


def runtime_path(home: Path) -> Path:
    return home / "run" / "hub.json"


def log_path(home: Path) -> Path:
    """The log file of a detached hub."""
    return home / "logs" / "hub.log"


def read_runtime(home: Path) -> RuntimeInfo | None:
    """The contents of the runtime file; ``None`` when it is missing or invalid."""
    try:
        value: object = json.loads(runtime_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    found = cast("dict[str, object]", value)
    for name, types in _FIELD_TYPES.items():
        # type() and not isinstance(): true is not a port.
        if type(found.get(name)) not in types:
            return None
    return RuntimeInfo(
        pid=cast("int", found["pid"]),
        started=float(cast("float", found["started"])),
        version=cast("str", found["version"]),
        host=cast("str", found["host"]),
        port=cast("int", found["port"]),
        socket=cast("str", found["socket"]),
        token=cast("str", found["token"]),
        detached=cast("bool", found["detached"]),
    )


def write_runtime(home: Path, info: RuntimeInfo) -> None:
    write_private(runtime_path(home), json.dumps(info._asdict(), indent=2) + "\n")


def remove_runtime(home: Path, pid: int) -> None:
    """Remove the file if it belongs to ``pid``; that of a newer hub is kept."""
    info = read_runtime(home)
    if info is not None and info.pid == pid:
        runtime_path(home).unlink(missing_ok=True)


@contextmanager
def hub_lock(home: Path, *, timeout_seconds: float = LOCK_TIMEOUT_SECONDS) -> Generator[None]:
    """Hold the lock to start or replace this home's hub. Raises ``TimeoutError``."""
    with locked(home / "run" / "start.lock", timeout_seconds=timeout_seconds):
        yield
