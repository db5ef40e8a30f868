"""Kernel limits of a guest's process besides seccomp: no new files, processes or privileges; little memory."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

LIFETIME_CPU_SECONDS = 3600
# What wasmtime reserves for a memory, and its guards.
RESERVED_ADDRESSES = 5 << 30
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38


def apply_limits(*, memory_bytes: int) -> None:
    """``memory_bytes`` may be added to the memory that is in use; reserved addresses do not count."""
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
        with open("/proc/self/status", encoding="ascii") as file:  # noqa: PTH123  pathlib would cost start-up time
            used = {line.split(":")[0]: line.split()[1] for line in file if line.startswith(("VmSize", "VmData"))}
        limits[resource.RLIMIT_DATA] = (int(used["VmData"]) << 10) + memory_bytes
        limits[resource.RLIMIT_AS] = (int(used["VmSize"]) << 10) + memory_bytes + RESERVED_ADDRESSES
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
