"""Locks between processes, held by an open file and freed by the system when its holder ends. Standard library only."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .home import PRIVATE_FILE, make_private_folder

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Taken(Exception):
    """Another process holds the lock."""


@contextmanager
def held(path: Path) -> Generator[None]:
    """Hold the lock while inside; raises ``Taken`` at once when someone else has it."""
    make_private_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), PRIVATE_FILE)
    try:
        try:
            _try_lock(descriptor)
        except OSError:
            raise Taken(str(path)) from None
        yield
    finally:
        os.close(descriptor)
