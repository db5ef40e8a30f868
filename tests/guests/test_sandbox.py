"""The sandbox of a guest's process, tested from inside: what the kernel allows after it is entered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from browser_pilot.guests.child import seccomp

from .guest_factory import package, running_guest, script

needs_seccomp = pytest.mark.skipif(not seccomp.is_supported(), reason="needs Linux on x86_64 or aarch64")

STREAMS = {"0", "1", "2"}
PROBE = """
import ctypes, json, mmap, os, socket, sys, threading
from browser_pilot.guests.child import rlimits, seccomp
threading.Thread(target=threading.Event().wait, daemon=True).start()
rlimits.apply_limits(memory_bytes=256 << 20)
seccomp.lock_down()
libc = ctypes.CDLL(None, use_errno=True)
outcomes = {}
def attempt(name, work):
    try:
        work()
        outcomes[name] = "done"
    except OSError as error:
        outcomes[name] = error.errno
def raw(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
attempt("open", lambda: os.open("/etc/passwd", os.O_RDONLY))
attempt("socket", lambda: socket.socket())
attempt("socketpair", lambda: socket.socketpair())
attempt("fork", os.fork)
attempt("exec", lambda: os.execv("/bin/true", ["true"]))
attempt("kill", lambda: os.kill(os.getppid(), 0))
attempt("unlink", lambda: os.unlink("/nonexistent"))
attempt("stderr", lambda: os.write(2, b"x"))
attempt("code", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC))
attempt("ptrace", lambda: raw(101 if os.uname().machine == "x86_64" else 117, 0, 0, 0, 0))
attempt("unlock", lambda: raw(157 if os.uname().machine == "x86_64" else 167, 22, 0, 0, 0, 0))
attempt("io_uring", lambda: raw(425, 8, 0))
attempt("memory", lambda: mmap.mmap(-1, 1 << 20))
attempt("thread", lambda: None)
outcomes["too much memory"] = "done"
try:
    bytearray(1 << 30)
except MemoryError:
    outcomes["too much memory"] = "refused"
os.write(1, json.dumps(outcomes).encode())
os._exit(0)
"""


@needs_seccomp
def test_only_computing_is_possible_after_lock_down() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, timeout=100, check=True)
    outcomes = json.loads(done.stdout)

    refused = ("open", "socket", "socketpair", "fork", "exec", "kill", "unlink", "stderr", "code", "ptrace", "unlock")
    assert {name: outcomes[name] for name in (*refused, "io_uring")} == dict.fromkeys((*refused, "io_uring"), 1)
    assert outcomes["memory"] == "done"
    assert outcomes["too much memory"] == "refused"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
async def test_a_running_guest_has_no_environment_and_no_files_but_its_streams(tmp_path: Path, modules: Path) -> None:
    os.environ["GUEST_CANARY"] = "must not be seen"
    try:
        async with running_guest(package(script("return 1")), tmp_path, modules) as guest:
            await guest.call()
            [(_, _, pid)] = guest.manager.running
            status = Path(f"/proc/{pid}/status").read_text()
            command = " ".join(psutil.Process(pid).cmdline())
            # Only root can inspect such a process.
            is_root = os.geteuid() == 0
            streams = {path.name for path in Path(f"/proc/{pid}/fd").iterdir()} if is_root else STREAMS
            environment = Path(f"/proc/{pid}/environ").read_bytes() if is_root else b""
    finally:
        del os.environ["GUEST_CANARY"]

    assert environment == b""
    assert streams == STREAMS
    assert "return 1" not in command
    assert "NoNewPrivs:\t1" in status
    if seccomp.is_supported():
        assert "Seccomp:\t2" in status
