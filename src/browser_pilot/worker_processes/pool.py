"""The worker processes of this process: started on demand, used again, killed at a deadline.

Blocking pipes in a few threads of our own, so the pool belongs to no event loop. Lifecycle: a worker that is idle ends
by itself (``child``) and is replaced when needed; all end with this process.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

from .child import encode, read_message, write_message

T = TypeVar("T")

MAX_WORKERS = 4
_SOURCES = Path(__file__).parent.parent.parent
_START = (
    "import sys; sys.path[:0] = sys.argv[1:]; sys.argv[1:] = []; "
    "from browser_pilot.worker_processes.child import main; main()"
)


async def run_in_worker(function: Callable[..., T], *arguments: object, timeout_seconds: float) -> T:
    """The result of ``function(*arguments)`` in another process; what it raises is raised here.

    Raises ``TimeoutError`` when it takes longer, or when the process ended because of its limits. The function and its
    arguments must be picklable (``RecursionError`` for very deep data); the function is imported by its name. The time
    in the queue does not count.
    """
    job = _WorkerCall(function, arguments, timeout_seconds)
    try:
        return cast("T", await asyncio.get_running_loop().run_in_executor(_threads, job.run))
    except asyncio.CancelledError:
        job.cancel()
        raise


class _Worker:
    """One process. ``used``: it has served a request, so it may have ended since."""

    def __init__(self) -> None:
        self.used = False
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, str(_SOURCES), *filter(None, sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/" if sys.platform != "win32" else None,
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101  both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._requests, self._results = self._process.stdin, self._process.stdout
        # A worker that ends by itself must not stay a zombie until the next call.
        threading.Thread(target=self._process.wait, name="worker-reaper", daemon=True).start()

    def call(self, request: bytes) -> tuple[bool, Any]:
        """Raises ``EOFError`` or ``OSError`` when the process has ended or is killed meanwhile."""
        write_message(self._requests, request)
        return read_message(self._results)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self.kill()
        self._process.wait()
        with contextlib.suppress(OSError):  # an unsent rest of a request
            self._requests.close()
        self._results.close()


class _WorkerCall:
    def __init__(self, function: Callable[..., object], arguments: tuple[object, ...], timeout_seconds: float) -> None:
        self._request = (timeout_seconds, function, arguments)
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._stopped = False

    def run(self) -> object:
        """Runs in a thread of the pool."""
        request = encode(self._request)
        while True:
            worker = _take()
            is_fresh = not worker.used
            timer = threading.Timer(self._timeout_seconds, self.cancel)
            timer.daemon = True
            try:
                with self._lock:
                    self._worker = worker
                    if self._stopped:
                        raise TimeoutError
                timer.start()
                succeeded, result = worker.call(request)
            except (EOFError, OSError):
                _discard(worker)
                if is_fresh or self._stopped:
                    raise TimeoutError(f"not done within {self._timeout_seconds:g} seconds") from None
                continue  # it ended while it was idle
            finally:
                timer.cancel()
                with self._lock:
                    self._worker = None
            worker.used = True
            _give_back(worker)
            if succeeded:
                return result
            raise result

    def cancel(self) -> None:
        """Kill the process that works on this, now or as soon as there is one."""
        with self._lock:
            self._stopped = True
            if self._worker is not None:
                self._worker.kill()


_threads = ThreadPoolExecutor(MAX_WORKERS, thread_name_prefix="worker-process")
_idle: list[_Worker] = []
_all: set[_Worker] = set()
_guard = threading.Lock()


def _take() -> _Worker:
    with _guard:
        while _idle:
            worker = _idle.pop()
            if worker.alive:
                return worker
            _all.discard(worker)
            worker.close()
    worker = _Worker()
    with _guard:
        _all.add(worker)
    return worker


def _give_back(worker: _Worker) -> None:
    with _guard:
        _idle.append(worker)


def _discard(worker: _Worker) -> None:
    with _guard:
        _all.discard(worker)
    worker.close()


@atexit.register
def _close_all() -> None:
    for worker in _all:
        worker.close()
