"""The locks of a guest's process, tried from inside: what the kernel lets through after they are on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from browser_pilot.guests.child import seccomp

from .making import living, package, script

needs_seccomp = pytest.mark.skipif(not seccomp.is_supported(), reason="seccomp filters are Linux's, on two machines")

STREAMS = {"0", "1", "2"}
PROBE = """
import ctypes, json, mmap, os, socket, sys, threading
from browser_pilot.guests.child import limits, seccomp
threading.Thread(target=threading.Event().wait, daemon=True).start()
limits.apply_limits(memory_bytes=256 << 20)
seccomp.lock_down()
libc = ctypes.CDLL(None, use_errno=True)
told = {}
def attempt(name, work):
    try:
        work()
        told[name] = "done"
    except OSError as error:
        told[name] = error.errno
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
told["too much memory"] = "done"
try:
    bytearray(1 << 30)
except MemoryError:
    told["too much memory"] = "refused"
os.write(1, json.dumps(told).encode())
os._exit(0)
"""


@needs_seccomp
def test_nothing_but_computing_is_left_after_locking() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, timeout=60, check=True)
    told = json.loads(done.stdout)

    refused = ("open", "socket", "socketpair", "fork", "exec", "kill", "unlink", "stderr", "code", "ptrace", "unlock")
    assert {name: told[name] for name in (*refused, "io_uring")} == dict.fromkeys((*refused, "io_uring"), 1)
    assert told["memory"] == "done"
    assert told["too much memory"] == "refused"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
async def test_a_running_guest_has_no_environment_and_no_files_but_its_streams(tmp_path: Path, modules: Path) -> None:
    os.environ["GUEST_CANARY"] = "must not be seen"
    try:
        async with living(package(script("return 1")), tmp_path, modules) as guest:
            await guest.call()
            [(_, _, pid)] = guest.house.running
            status = Path(f"/proc/{pid}/status").read_text()
            command = " ".join(psutil.Process(pid).cmdline())
            # Others than root cannot look into such a process, which is as it should be.
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


async def test_guests_end_with_the_house(tmp_path: Path, modules: Path) -> None:
    async with living(package(script("return 1")), tmp_path, modules) as guest:
        await guest.call()
        [(_, _, pid)] = guest.house.running
        assert psutil.pid_exists(pid)

    assert not psutil.pid_exists(pid)


KILLED_HUB = """
import asyncio, os, sys
from pathlib import Path
from tests.guests.making import living, package, script
async def main():
    async with living(package(script("return 1")), Path(sys.argv[1]), Path(sys.argv[2])) as guest:
        await guest.call()
        print(guest.house.running[0][2], flush=True)
        os.kill(os.getpid(), 9)
asyncio.run(main())
"""


async def test_guests_end_with_a_hub_that_is_killed(tmp_path: Path, modules: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_HUB, str(tmp_path), str(modules)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    pid = int(done.stdout)
    gone, _ = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=20)

    assert gone or not psutil.pid_exists(pid)
