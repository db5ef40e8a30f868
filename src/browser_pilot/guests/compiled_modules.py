"""Modules as wasmtime loads them: compiled once, in a locked process, and kept in the home.

The QuickJS module for JavaScript guests is one of our assets; a WASM guest brings its own. What is kept is native
code: only we write it, into a private folder, and its name tells the module and the wasmtime that made it.
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

from .. import assets
from ..errors import GuestFailed
from ..home import make_private_folder
from .process import GuestProcess

COMPILE_SECONDS = 120.0
LARGEST_COMPILED = 512 << 20
ENGINE_SETTINGS = 1


@dataclass(frozen=True)
class Module:
    """A module before it is compiled: its bytes, read only if they are needed, and their hash."""

    digest: str
    read: Callable[[], bytes]


def module_of(code: bytes) -> Module:
    return Module(hashlib.sha256(code).hexdigest(), lambda: code)


def quickjs() -> Module:
    """The JavaScript engine; raises ``GuestFailed`` where it has not been fetched."""
    path = assets.locate("quickjs")
    if path is None:
        raise GuestFailed(
            "JavaScript guests need QuickJS, which has not been fetched.",
            suggestions=[f"Install npm, then run: {sys.executable} -m browser_pilot.assets"],
        )
    return Module(_digest(path, path.stat().st_mtime_ns), path.read_bytes)


@cache
def _digest(path: Path, _modified_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class CompiledModules:
    """Look-ups of the same module at the same time are one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pending: dict[str, asyncio.Task[Path]] = {}

    async def path_of(self, module: Module) -> Path:
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
        process = await GuestProcess.start(longest_line=LARGEST_COMPILED)
        process.send(orders)
        try:
            async with asyncio.timeout(COMPILE_SECONDS):
                message = await process.receive()
            if message is None or message.get("type") != "compiled":
                why = message.get("message") if message else "the compiler ended"
                raise GuestFailed(f"The guest's module cannot be compiled: {why}.")
            compiled = base64.b64decode(message["module"])
        except (TimeoutError, binascii.Error):
            raise GuestFailed("The guest's module takes too long to compile.") from None
        finally:
            await process.end()
        make_private_folder(self._folder)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_bytes(compiled)
        temporary.replace(path)
        return path


@cache
def _engine_name() -> str:
    version = importlib.metadata.version("wasmtime")
    return f"{version}-{ENGINE_SETTINGS}-{sys.platform}-{platform.machine()}"
