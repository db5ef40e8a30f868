"""The code of a worker process: receives functions with their arguments, returns results, ends when it is idle.

Standard library only. Messages are pickles, each after its length; the functions are imported by name.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import sys
from typing import IO, Any

IDLE_SECONDS = 30.0
LENGTH_BYTES = 8
MAX_MEMORY_BYTES = 2 << 30
NICE = 5


def encode(message: object) -> bytes:
    return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


def write_message(file: IO[bytes], data: bytes) -> None:
    file.write(len(data).to_bytes(LENGTH_BYTES, "big"))
    file.write(data)
    file.flush()


def read_message(file: IO[bytes]) -> Any:
    """The next message. Raises ``EOFError`` when the other side has ended."""
    return pickle.loads(_read(file, int.from_bytes(_read(file, LENGTH_BYTES), "big")))  # noqa: S301  our own process


def _read(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data


def main() -> None:
    """Serve requests until the hub ends or none has come for a while."""
    requests = sys.stdin.buffer
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed may get between the results
    _lower_priority()
    while _has_request(requests):
        try:
            cpu_seconds, function, arguments = read_message(requests)
        except EOFError:
            return
        _limit_cpu(cpu_seconds)
        try:
            message = (True, function(*arguments))
        except Exception as error:  # noqa: BLE001  the caller gets it
            message = (False, error)
        try:
            data = encode(message)
        except Exception:  # noqa: BLE001  a result or an error that cannot be sent
            data = encode((False, RuntimeError(f"{type(message[1]).__name__} cannot be sent to the hub")))
        write_message(results, data)


def _has_request(requests: IO[bytes]) -> bool:
    """Wait for a request; False after ``IDLE_SECONDS`` without one."""
    if sys.platform == "win32":
        return True  # pipes cannot be waited for: the worker ends with the hub
    return bool(select.select([requests], [], [], IDLE_SECONDS)[0])


def _lower_priority() -> None:
    """The hub and the browsers come first."""
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(OSError):
            os.nice(NICE)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def _limit_cpu(seconds: float) -> None:
    """The system ends the process after this CPU time, also when the hub is gone."""
    if sys.platform != "win32":
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(usage.ru_utime + usage.ru_stime + seconds) + 2
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))
