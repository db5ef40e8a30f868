"""A JavaScript guest: QuickJS, compiled to WASI, in wasmtime.

The script waits for lines (`MCP.readLine`), timers and host responses; this loop delivers them one after another and
runs the engine's jobs after each. The script reaches nothing of Python but ``HostFunctions``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from wasmtime import Caller, Engine, Func, FuncType, Instance, Linker, Memory, Module, Store, Trap, ValType

from .channel import Channel, GuestTerminated
from .cpu_budget import CpuBudget
from .host_functions import HostFunctions
from .wasi import GuestMemory, Wasi
from .wasm_engine import make_store
from .wasm_guest import trap_error

PRELUDE = Path(__file__).with_name("prelude.js")
# Half of the module's stack. A frame takes at most 30 times as much of the engine's (``wasm_engine.STACK_BYTES``), so
# that this limit, which a script can catch as a RangeError, is always reached first.
_STACK_BYTES = 512 << 10
# Collecting garbage more often costs more than the memory is worth.
_GARBAGE_COLLECTION_BYTES = 8 << 20
_HEAP_SHARE = 0.9
_ALLOW_AWAIT = 1 << 7
_REJECTED = 2
# Parameters and results of the module's `env` imports; only `host_call` has an effect.
_IMPORTS = {
    "host_get_timezone_offset": (2, 1),
    "host_interrupt": (0, 1),
    "host_promise_rejection": (3, 0),
    "host_module_normalize": (2, 1),
    "host_module_load": (2, 1),
}


_INSTANCE_NAME = "quickjs"
# The prelude's `nextTimeout` when the guest waits only for the next line.
_ONLY_LINES = -2.0
_MAX_TIMEOUT_MS = 1e9
_FUNCTIONS = (
    "_initialize",
    "qjs_call",
    "qjs_eval",
    "qjs_execute_pending_job",
    "qjs_free_cstring",
    "qjs_free_value",
    "qjs_get_exception",
    "qjs_get_float64",
    "qjs_get_global",
    "qjs_get_prop_string",
    "qjs_get_string_len",
    "qjs_get_undefined",
    "qjs_init",
    "qjs_is_exception",
    "qjs_new_host_function",
    "qjs_new_string",
    "qjs_promise_result",
    "qjs_promise_state",
    "qjs_set_gc_threshold",
    "qjs_set_max_stack_size",
    "qjs_set_memory_limit",
    "qjs_set_prop_string",
    "wasm_free",
    "wasm_malloc",
)


class _NullStreams:
    """The engine's own streams: empty input, discarded output."""

    def read(self, size: int) -> bytes:
        return b""

    def write(self, stream: int, data: bytes) -> None:
        pass

    def sleep(self, seconds: float) -> None:
        pass


class JavaScriptGuest:
    def __init__(self, engine: Engine, module: Module, channel: Channel, cpu_budget: CpuBudget) -> None:
        self._engine, self._module = engine, module
        self._channel, self._cpu_budget = channel, cpu_budget
        self._host_functions: HostFunctions
        self._store: Store
        self._functions: dict[str, Func] = {}
        self._memory: Memory
        self._hooks: dict[str, int] = {}
        self._undefined = self._length = self._vector = 0

    def run(self, script: str, *, prelude: str, memory_bytes: int, environment: Mapping[str, str]) -> None:
        """Runs until the hub disconnects. Raises ``GuestTerminated`` when the guest ends before."""
        try:
            self._start(memory_bytes, environment)
            hooks = self._eval(prelude, "prelude.js")
            self._hooks = {
                name: self._property(hooks, name)
                for name in ("deliver", "settleHostRequest", "nextTimeout", "runTimers")
            }
            outcome = self._eval(script, "guest.js", flags=_ALLOW_AWAIT)
            self._run_pending_jobs()
            if self._call("qjs_promise_state", outcome) == _REJECTED:
                raise GuestTerminated("error", self._pop_text(self._call("qjs_promise_result", outcome)))
            while True:
                self._next_event()
        except Trap as trap:
            raise trap_error(trap) from None

    def _start(self, memory_bytes: int, environment: Mapping[str, str]) -> None:
        self._store = store = make_store(self._engine, memory_bytes=memory_bytes)
        self._host_functions = HostFunctions(self._channel, environment)
        linker = Linker(self._engine)
        Wasi(_NullStreams(), {}).define(linker, self._module.imports)
        i32 = ValType.i32()
        for name, (parameters, results) in _IMPORTS.items():
            kind = FuncType([i32] * parameters, [i32] * results)
            linker.define_func("env", name, kind, _zero if results else _no_result)
        linker.define_func("env", "host_call", FuncType([i32] * 5, [i32]), self._host_call, access_caller=True)
        instance: Instance = linker.instantiate(store, self._module)
        # Listing its 300 exports would cost more time than everything else here.
        linker.define_instance(store, _INSTANCE_NAME, instance)
        self._functions = {name: cast("Func", linker.get(store, _INSTANCE_NAME, name)) for name in _FUNCTIONS}
        self._memory = cast("Memory", linker.get(store, _INSTANCE_NAME, "memory"))
        self._call("_initialize")
        self._call("qjs_init")
        self._call("qjs_set_memory_limit", int(memory_bytes * _HEAP_SHARE))
        self._call("qjs_set_max_stack_size", _STACK_BYTES)
        self._call("qjs_set_gc_threshold", min(_GARBAGE_COLLECTION_BYTES, memory_bytes // 8))
        self._undefined = self._call("qjs_get_undefined")
        # Two machine words used by every call: for a length that the engine returns, and for an argument.
        self._length = self._store_bytes(bytes(8))
        self._vector = self._length + 4
        name = self._store_bytes(b"pilot\0")
        function = self._call("qjs_new_host_function", name, 5, 2)
        key = self._store_bytes(b"__pilot\0")
        self._call("qjs_set_prop_string", self._call("qjs_get_global"), key, function)

    def _next_event(self) -> None:
        timeout_ms = self._pop_number(self._invoke("nextTimeout"))
        if timeout_ms == _ONLY_LINES:
            self._channel.send_idle()
        message = self._channel.receive(timeout_ms / 1000 if timeout_ms >= 0 else None)
        if message is None:
            self._free(self._invoke("runTimers"))
        elif message["type"] == "line":
            self._cpu_budget.reset()
            # What runs until the next event follows from this one, and belongs to its call.
            self._free(self._invoke("deliver", f"{json.dumps(message.get('call'))}\n{message['text']}"))
        elif message["type"] == "host_response":
            self._free(self._invoke("settleHostRequest", json.dumps(message)))
        self._run_pending_jobs()

    def _free(self, value: int) -> None:
        self._call("qjs_free_value", value)

    def _run_pending_jobs(self) -> None:
        while self._call("qjs_execute_pending_job") > 0:
            pass

    def _call(self, name: str, *arguments: int) -> int:
        return cast("int", self._functions[name](self._store, *arguments))

    def _eval(self, code: str, name: str, *, flags: int = 0) -> int:
        source, label = code.encode(errors="surrogatepass"), name.encode() + b"\0"
        text, title = self._store_bytes(source + b"\0"), self._store_bytes(label)
        value = self._call("qjs_eval", text, len(source), title, flags)
        self._call("wasm_free", text)
        self._call("wasm_free", title)
        return self._check_exception(value)

    def _invoke(self, hook: str, argument: str | None = None) -> int:
        """Call one of the prelude's functions. An exception (of a timer's callback) is logged."""
        given = 0
        if argument is not None:
            given = self._new_text(argument)
            self._memory.write(self._store, given.to_bytes(4, "little"), self._vector)
        value = self._call("qjs_call", self._hooks[hook], self._undefined, 1 if given else 0, self._vector)
        if given:
            self._free(given)
        if self._call("qjs_is_exception", value):
            self._channel.send_log("error", self._exception())
        return value

    def _check_exception(self, value: int) -> int:
        if self._call("qjs_is_exception", value):
            raise GuestTerminated("error", self._exception())
        return value

    def _exception(self) -> str:
        error = self._call("qjs_get_exception")
        stack = self._pop_text(self._property(error, "stack"))
        return f"{self._pop_text(error)}\n{stack}".strip()

    def _property(self, value: int, name: str) -> int:
        key = self._store_bytes(name.encode() + b"\0")
        found = self._call("qjs_get_prop_string", value, key)
        self._call("wasm_free", key)
        return found

    def _store_bytes(self, data: bytes) -> int:
        address = self._call("wasm_malloc", len(data)) & 0xFFFFFFFF
        if not address:
            raise GuestTerminated("memory", "it has no memory left")
        self._memory.write(self._store, data, address)
        return address

    def _new_text(self, text: str) -> int:
        data = text.encode(errors="surrogatepass")
        address = self._store_bytes(data + b"\0")
        value = self._call("qjs_new_string", address, len(data))
        self._call("wasm_free", address)
        return self._check_exception(value)

    def _pop_number(self, value: int) -> float:
        number: float = self._functions["qjs_get_float64"](self._store, value)
        self._free(value)
        # A guest that changes `Date.now` gets no timer rather than an arbitrary one.
        return number if -3 < number < _MAX_TIMEOUT_MS else _ONLY_LINES

    def _pop_text(self, value: int) -> str:
        """The value as text; it is freed."""
        start = self._call("qjs_get_string_len", value, self._length) & 0xFFFFFFFF
        size = int.from_bytes(self._memory.read(self._store, self._length, self._length + 4), "little")
        text = bytes(self._memory.read(self._store, start, start + size)) if start else b""
        if start:
            self._call("qjs_free_cstring", start)
        self._free(value)
        return text.decode(errors="replace")

    def _host_call(self, caller: Caller, _name: int, _length: int, _this: int, count: int, vector: int) -> int:
        """`pilot(kind, text)`: converts both to strings, whatever the guest passes."""
        memory = GuestMemory(caller)
        table = memory.read(vector, 4 * min(count, 2))
        kind, text = ("", "")
        if len(table) == 8:
            kind = self._read_argument(caller, int.from_bytes(table[:4], "little"))
            text = self._read_argument(caller, int.from_bytes(table[4:], "little"))
        result = self._host_functions.call(kind, text).encode(errors="surrogatepass")
        functions = self._functions
        address = cast("int", functions["wasm_malloc"](caller, len(result) + 1)) & 0xFFFFFFFF
        if not address:
            raise GuestTerminated("memory", "it has no memory left")
        GuestMemory(caller).write(address, result + b"\0")
        value: int = functions["qjs_new_string"](caller, address, len(result))
        functions["wasm_free"](caller, address)
        return value

    def _read_argument(self, caller: Caller, value: int) -> str:
        functions = self._functions
        start = cast("int", functions["qjs_get_string_len"](caller, value, self._length)) & 0xFFFFFFFF
        memory = GuestMemory(caller)
        size = int.from_bytes(memory.read(self._length, 4), "little")
        data = memory.read(start, size) if start else b""
        if start:
            functions["qjs_free_cstring"](caller, start)
        return data.decode(errors="replace")


def _zero(*_arguments: Any) -> int:
    return 0


def _no_result(*_arguments: Any) -> None:
    return None
