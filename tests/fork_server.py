"""Starts ``browser-pilot`` processes by forking one that has imported the product.

Importing the hub takes most of the time of its start, and the tests start more than a hundred hubs. A forked process
runs the same entry point, in an environment of its own. What starts by itself (adapters, hubs of adapters, guests) and
the tests of a start (``test_lifecycle``, ``test_serve``, ``test_main``) do not use this.

One server per test process, from the first use to the end of it. Linux only: elsewhere forking is not safe.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SUPPORTED = sys.platform == "linux"
_ROOT = Path(__file__).parent.parent
_MAX_MESSAGE_BYTES = 1 << 17
_STATUS = struct.Struct("i")


class ForkedProcess:
    """The part of ``subprocess.Popen`` that tests use. ``status`` is a pipe from which its exit status can be read."""

    def __init__(self, pid: int, status: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._status = status

    def poll(self) -> int | None:
        return self._receive(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._receive(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _receive(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = os.waitstatus_to_exitcode(_STATUS.unpack(os.read(self._status, _STATUS.size))[0])
            os.close(self._status)
        return self.returncode


def run_forked(
    arguments: Sequence[str], environ: Mapping[str, str], *, stdin: str = "", timeout_seconds: float
) -> subprocess.CompletedProcess[str]:
    """As ``subprocess.run`` with ``capture_output``: it ends when the process and all that hold its output have."""
    with tempfile.TemporaryFile() as given, ThreadPoolExecutor(2) as readers:
        given.write(stdin.encode())
        given.seek(0)
        (out_end, out_start), (err_end, err_start) = os.pipe(), os.pipe()
        texts = [readers.submit(_read_all, end) for end in (out_end, err_end)]
        try:
            process = start_forked(arguments, environ, (given.fileno(), out_start, err_start))
        finally:
            os.close(out_start)
            os.close(err_start)
        try:
            code = process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        out, err = (text.result(timeout_seconds) for text in texts)
    return subprocess.CompletedProcess([*arguments], code, out, err)


def _read_all(end: int) -> str:
    with os.fdopen(end, encoding="utf-8") as file:
        return file.read()


def start_forked(arguments: Sequence[str], environ: Mapping[str, str], streams: tuple[int, int, int]) -> ForkedProcess:
    """Run ``browser-pilot`` with these arguments. ``streams`` are its standard input, output and error."""
    channel = _server()
    readable, writable = os.pipe()
    message = json.dumps([list(arguments), dict(environ), str(Path.cwd())]).encode()
    try:
        socket.send_fds(channel, [message], [*streams, writable])
    finally:
        os.close(writable)
    return ForkedProcess(int(channel.recv(32)), readable)


@functools.cache
def _server() -> socket.socket:
    """The connection to the server, which ends when the connection does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())]
    process = subprocess.Popen(command, cwd=_ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()

    def close() -> None:
        ours.close()
        process.wait(10)

    atexit.register(close)
    return ours


def _serve(channel: socket.socket) -> list[str] | None:
    """Fork for each request. Returns the arguments in each forked process, and ``None`` in the server at its end."""
    ended, on_ended = socket.socketpair()
    on_ended.setblocking(False)
    signal.set_wakeup_fd(on_ended.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    # The server outlives an interrupt: its client ends the processes that it has started.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    statuses: dict[int, int] = {}
    while True:
        ready = select.select([channel, ended], [], [])[0]
        if ended in ready:
            ended.recv(4096)
            _report_ended(statuses)
        if channel not in ready:
            continue
        message, files, _, _ = socket.recv_fds(channel, _MAX_MESSAGE_BYTES, 4)
        if not message:
            return None
        arguments, environ, folder = json.loads(message)
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for target in (channel, ended, on_ended):
                target.close()
            for number, file in enumerate(files[:3]):
                os.dup2(file, number)
            for file in {*files, *statuses.values()}:
                os.close(file)
            os.environ.clear()
            os.environ.update(environ)
            os.chdir(folder)
            return arguments
        statuses[pid] = files.pop()
        for file in files:
            os.close(file)
        channel.send(str(pid).encode())


def _report_ended(statuses: dict[int, int]) -> None:
    for pid in list(statuses):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            file = statuses.pop(pid)
            os.write(file, _STATUS.pack(status))
            os.close(file)


def _preload() -> None:
    importlib.import_module("browser_pilot.hub.app")
    importlib.import_module("browser_pilot.policy.labels").prepare_labels()
    # Collections in the forked processes need not touch, and so copy, what is shared.
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    _preload()
    given = _serve(socket.socket(fileno=int(sys.argv[1])))
    if given is not None:
        sys.argv = ["browser-pilot", *given]
        runpy.run_module("browser_pilot", run_name="__main__", alter_sys=True)
