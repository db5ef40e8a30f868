"""How a running hub is found: a private file with its address, and a lock so that only one is ever started.

Standard library only, because the adapter imports it. The hub writes the file when it is ready and removes it when it
ends; a file left behind by a killed hub is harmless, since nobody answers at the socket that it names.

Whoever starts a hub holds ``hub_lock`` until the hub is ready. A detached hub must therefore never take it itself.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

from browser_pilot.home import PRIVATE_FILE, make_private_folder, write_private

LOCK_TIMEOUT_SECONDS = 45.0


@dataclass(frozen=True, slots=True)
class RuntimeInfo:
    """Where the hub is and how to prove that one may use it."""

    pid: int
    started: float
    version: str
    host: str
    port: int
    socket: str
    """A Unix socket's path, or ``tcp:PORT`` on loopback where there are none (Windows)."""
    token: str = field(repr=False)
    detached: bool


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
    """The file that a detached hub writes its messages to."""
    return home / "logs" / "hub.log"


def read_runtime(home: Path) -> RuntimeInfo | None:
    """What the hub last wrote about itself, or nothing when there is no such file or it makes no sense."""
    try:
        value: object = json.loads(runtime_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    found = cast("dict[str, object]", value)
    for name, types in _FIELD_TYPES.items():
        # type() and not isinstance(): true is no port.
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
    write_private(runtime_path(home), json.dumps(asdict(info), indent=2) + "\n")


def remove_runtime(home: Path, pid: int) -> None:
    """Remove the file if it is still that of ``pid``: a newer hub's is left alone."""
    info = read_runtime(home)
    if info is not None and info.pid == pid:
        runtime_path(home).unlink(missing_ok=True)


@contextmanager
def hub_lock(home: Path, *, timeout_seconds: float = LOCK_TIMEOUT_SECONDS) -> Generator[None]:
    """Hold the right to start or replace this home's hub. Raises ``TimeoutError`` when others hold it for too long."""
    folder = make_private_folder(home / "run")
    descriptor = os.open(folder / "start.lock", os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    _Acquisition(descriptor).wait(timeout_seconds)
    try:
        yield
    finally:
        _unlock(descriptor)
        os.close(descriptor)


class _Acquisition:
    """A blocking lock with a deadline: systems have no such call, so that a thread waits in our stead.

    When we give up first, the thread may still get the lock later; it then lets it go at once.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._state = threading.Condition()
        self._acquired = False
        self._abandoned = False

    def wait(self, timeout_seconds: float) -> None:
        if _lock(self._descriptor, blocking=False):
            return
        threading.Thread(target=self._block, daemon=True).start()
        with self._state:
            if not self._state.wait_for(lambda: self._acquired, timeout_seconds):
                self._abandoned = True
                raise TimeoutError("another program has been starting the hub for too long")

    def _block(self) -> None:
        while not _lock(self._descriptor, blocking=True):
            pass
        with self._state:
            self._acquired = True
            self._state.notify_all()
            if self._abandoned:
                _unlock(self._descriptor)
                os.close(self._descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, blocking: bool) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            # Even the blocking kind gives up after ten seconds.
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if blocking else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int, *, blocking: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if blocking else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
