"""WebAssembly modules for tests: from C by clang, or from the text format by wasmtime in a separate process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "guests"
HEADERS = Path(__file__).parents[2] / "src" / "browser_pilot" / "guests" / "templates" / "wasm"
_WAT = "import sys, wasmtime; sys.stdout.buffer.write(wasmtime.wat2wasm(sys.stdin.read()))"


def from_wat(text: str) -> bytes:
    return subprocess.run([sys.executable, "-c", _WAT], input=text.encode(), capture_output=True, check=True).stdout


def from_c(source: Path, folder: Path) -> bytes:
    if not has_clang():
        pytest.skip("no clang that builds for WASI; `make test` installs it on Debian (clang lld wasi-libc)")
    target = folder / "built.wasm"
    command = ["clang", "--target=wasm32-wasi", "-O2", f"-I{HEADERS}", "-o", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return target.read_bytes()


@cache
def has_clang() -> bool:
    """Whether there is a clang with WASI's C library, as Debian's packages have it."""
    if shutil.which("clang") is None:
        return False
    probe = ["clang", "--target=wasm32-wasi", "-x", "c", "-o", "/dev/null", "-"]
    code = b'#include <stdio.h>\nint main(void) { return puts(""); }'
    return subprocess.run(probe, input=code, capture_output=True, check=False).returncode == 0
