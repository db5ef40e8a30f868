"""WebAssembly modules as wasmtime loads them: compiled once, in a sandboxed process, and cached in the home.

The QuickJS module for JavaScript guests is one of our assets; a WASM guest brings its own. The cache holds native code:
only we write it, into a private folder, and its file names contain the module's digest and the version of wasmtime.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from browser_pilot import assets
from browser_pilot.errors import GuestFailed
from browser_pilot.home import make_private_folder

from .process import GuestProcess

COMPILE_TIMEOUT_SECONDS = 120.0
MAX_COMPILED_BYTES = 512 << 20
ENGINE_SETTINGS = 2


@dataclass(frozen=True)
class WasmModule:
    """A module before it is compiled: its digest, and its bytes, read on demand."""

    digest: str
    read: Callable[[], bytes]


def wasm_module(code: bytes) -> WasmModule:
    return WasmModule(hashlib.sha256(code).hexdigest(), lambda: code)


def quickjs_module() -> WasmModule:
    """The JavaScript engine; raises ``GuestFailed`` when it is not installed."""
    path = assets.locate("quickjs")
    if path is None:
        raise GuestFailed(
            "JavaScript guests need QuickJS, which is not installed.",
            suggestions=[f"Install npm, then run: {sys.executable} -m browser_pilot.assets"],
        )
    return WasmModule(_digest(path, path.stat().st_mtime_ns), path.read_bytes)


@cache
def _digest(path: Path, _modified_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class CompiledModules:
    """Concurrent requests for one module share one compilation."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pending: dict[str, asyncio.Task[Path]] = {}

    async def path_of(self, module: WasmModule) -> Path:
        name = f"{module.digest}-{_engine_name()}.cwasm"
        path = self._folder / name
        if path.is_file():
            return path
        task = self._pending.get(name)
        if task is None:
            task = self._pending[name] = asyncio.ensure_future(self._compile(module.read(), path))
            task.add_done_callback(lambda _: self._pending.pop(name, None))
        return await asyncio.shield(task)

    async def _compile(self, code: bytes, path: Path) -> Path:
        orders = {"type": "compile", "code": base64.b64encode(code).decode("ascii")}
        process = await GuestProcess.start(max_line_bytes=MAX_COMPILED_BYTES)
        process.send(orders)
        try:
            async with asyncio.timeout(COMPILE_TIMEOUT_SECONDS):
                message = await process.receive()
            if message is None or message.get("type") != "compiled":
                why = message.get("message") if message else "the compiler ended"
                raise GuestFailed(f"The guest's module cannot be compiled: {why}.")
            compiled = base64.b64decode(message["module"])
        except (TimeoutError, binascii.Error):
            raise GuestFailed("The guest's module takes too long to compile.") from None
        finally:
            await process.terminate()
        make_private_folder(self._folder)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_bytes(compiled)
        temporary.replace(path)
        return path


@cache
def _engine_name() -> str:
    version = importlib.metadata.version("wasmtime")
    return f"{version}-{ENGINE_SETTINGS}-{sys.platform}-{platform.machine()}"
