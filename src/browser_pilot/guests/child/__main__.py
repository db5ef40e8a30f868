"""A guest's process: reads its command from the first line of its input, drops all rights, then runs the guest.

``python -I -S PATH/child SITE-PACKAGES…``: isolated from the environment and the user's site packages, with the folders
to import from as arguments. ``run`` runs a guest until the hub disconnects or a limit ends it; ``compile`` compiles a
module for ``run``, in the same sandbox, because its input is untrusted too. Everything is imported before the command
is read, so that a warm process executes it at once.
"""

from __future__ import annotations

import binascii
import os
import sys
import threading
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = sys.argv[1:]

# Started by path, so there is no package for relative imports.
from wasmtime import Module, WasmtimeError

from browser_pilot.guests.child import seccomp
from browser_pilot.guests.child.channel import Channel, GuestTerminated, HubDisconnected
from browser_pilot.guests.child.cpu_budget import CpuBudget
from browser_pilot.guests.child.quickjs_guest import PRELUDE, JavaScriptGuest
from browser_pilot.guests.child.rlimits import apply_limits
from browser_pilot.guests.child.wasm_engine import STACK_BYTES, compile_module, make_engine
from browser_pilot.guests.child.wasm_guest import WasmGuest

# For Python and wasmtime, in addition to the guest's memory.
_RUNTIME_BYTES = 128 << 20
_COMPILE_BYTES = 2 << 30
_NATIVE_STACK_BYTES = STACK_BYTES + (2 << 20)


def main() -> None:
    channel = Channel()
    try:
        command = channel.receive() or {}
        if command["type"] == "compile":
            _compile(channel, command)
        else:
            _run(channel, command)
            channel.send({"type": "end", "what": "exit", "message": "it ended by itself"})
    except GuestTerminated as error:
        _end(channel, error.cause, str(error))
    except MemoryError:
        _end(channel, "memory", "it has no memory left")
    except HubDisconnected:
        pass
    except Exception as error:  # noqa: BLE001  the only way to report it: stderr is closed
        _end(channel, "bug", f"{type(error).__name__}: {error}")
    os._exit(0)


def _end(channel: Channel, cause: str, message: str) -> None:
    """Report why, and end the process, whatever the guest's thread is doing."""
    channel.send({"type": "end", "what": cause, "message": message[:2000]})
    os._exit(0)


def _run(channel: Channel, command: dict[str, Any]) -> None:
    channel.limit(
        output_bytes=command["output_bytes"], log_bytes=command["log_bytes"], host_requests=command["host_requests"]
    )
    engine = make_engine()
    module = Module.deserialize_file(engine, command["module"])
    prelude = PRELUDE.read_text(encoding="utf-8")
    cpu_budget = CpuBudget(
        lambda: _end(channel, "cpu", "it computed for too long"), budget_seconds=command["cpu_seconds"]
    )
    memory_bytes: int = command["memory_bytes"]
    environment: dict[str, str] = command["environment"]
    _enter_sandbox(memory_bytes + _RUNTIME_BYTES)
    channel.send({"type": "ready"})
    if command["kind"] == "js":
        script = JavaScriptGuest(engine, module, channel, cpu_budget)
        script.run(command["script"], prelude=prelude, memory_bytes=memory_bytes, environment=environment)
    else:
        WasmGuest(engine, module, channel, cpu_budget).run(memory_bytes=memory_bytes, environment=environment)


def _compile(channel: Channel, command: dict[str, Any]) -> None:
    code = binascii.a2b_base64(command["code"])
    _enter_sandbox(_COMPILE_BYTES, allow_executable_memory=True)
    try:
        compiled = compile_module(code)
    except WasmtimeError as error:
        raise GuestTerminated("error", str(error).splitlines()[0]) from None
    channel.send({"type": "compiled", "module": binascii.b2a_base64(compiled, newline=False).decode("ascii")})


def _enter_sandbox(memory_bytes: int, *, allow_executable_memory: bool = False) -> None:
    # The module's file is already mapped.
    os.closerange(3, 256)
    apply_limits(memory_bytes=memory_bytes)
    if seccomp.is_supported():
        seccomp.lock_down(allow_executable_memory=allow_executable_memory)


if __name__ == "__main__":
    # The stack of a main thread is as large as the user's limit says.
    threading.stack_size(_NATIVE_STACK_BYTES)
    running = threading.Thread(target=main)
    running.start()
    threading.stack_size(0)
    running.join()
