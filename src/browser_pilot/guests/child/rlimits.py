"""Kernel limits of a guest's process besides seccomp: no new files, processes or privileges; little memory."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

LIFETIME_CPU_SECONDS = 3600
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38


def apply_limits(*, memory_bytes: int) -> None:
    """``memory_bytes`` may be added to the present address space."""
    if os.name != "posix":
        return
    import resource

    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_CPU: LIFETIME_CPU_SECONDS,
    }
    if sys.platform.startswith("linux"):
        _set_process_flags()
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  pathlib would cost start-up time
            pages = int(file.read().split()[0])
        limits[resource.RLIMIT_AS] = pages * resource.getpagesize() + memory_bytes
    # poll(2) needs a limit of at least the number of open files.
    limits[resource.RLIMIT_NOFILE] = 3
    for which, limit in limits.items():
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (limit, limit))


def _set_process_flags() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
