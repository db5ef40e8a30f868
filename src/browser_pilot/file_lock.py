"""Locks between processes, on an open file; the system frees them when their holder ends. Standard library only."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from .home import PRIVATE_FILE, make_private_folder


@contextmanager
def locked(path: Path, *, timeout_seconds: float = 0) -> Generator[None]:
    """Hold the lock in the ``with`` block. Raises ``TimeoutError`` when another process holds it for too long."""
    make_private_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    _Acquisition(descriptor).wait(timeout_seconds)
    try:
        yield
    finally:
        _unlock(descriptor)
        os.close(descriptor)


class _Acquisition:
    """A blocking lock with a deadline. Systems have no such call, so that a thread blocks instead.

    After a timeout the thread may still acquire the lock; it then releases it at once.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._state = threading.Condition()
        self._acquired = False
        self._abandoned = False

    def wait(self, timeout_seconds: float) -> None:
        try:
            if _lock(self._descriptor, blocking=False):
                return
        except OSError:
            os.close(self._descriptor)
            raise
        if timeout_seconds <= 0:
            os.close(self._descriptor)
            raise TimeoutError("another program holds the lock")
        threading.Thread(target=self._block, daemon=True).start()
        with self._state:
            if not self._state.wait_for(lambda: self._acquired, timeout_seconds):
                self._abandoned = True
                raise TimeoutError("another program has held the lock for too long")

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
            # Even the blocking mode gives up after ten seconds.
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
