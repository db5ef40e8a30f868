"""A guest that is a script: QuickJS, compiled to WASI, in wasmtime.

The script waits for lines (`MCP.readLine`), timers and the host's answers; this loop brings them, one after another,
and runs the engine's jobs after each. Nothing of Python's is reachable from the script but ``Outside``'s answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from wasmtime import Caller, Engine, Func, FuncType, Instance, Linker, Memory, Module, Store, Trap, ValType

from .channel import Channel, LimitExceeded
from .engine import make_store
from .meter import Meter
from .outside import Outside
from .wasi import GuestMemory, Wasi
from .wasm import explain

PRELUDE = Path(__file__).with_name("prelude.js")
# The module's own stack is 1 MiB; what is above this is kept for native frames.
_STACK_BYTES = 384 << 10
_HEAP_SHARE = 0.9
_ALLOW_AWAIT = 1 << 7
_REJECTED = 2
# How the module's `env` imports look; only `host_call` does something.
_IMPORTS = {
    "host_get_timezone_offset": (2, 1),
    "host_interrupt": (0, 1),
    "host_promise_rejection": (3, 0),
    "host_module_normalize": (2, 1),
    "host_module_load": (2, 1),
}


_NAME = "quickjs"
# What the prelude's `waits` says when nothing can move the guest on but the next line.
_NOTHING = -2.0
_LONGEST_WAIT_MS = 1e9
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
    "qjs_set_max_stack_size",
    "qjs_set_memory_limit",
    "qjs_set_prop_string",
    "wasm_free",
    "wasm_malloc",
)


class _Silent:
    """The engine's own streams: nothing comes in, nothing goes out."""

    def read(self, size: int) -> bytes:
        return b""

    def write(self, stream: int, data: bytes) -> None:
        pass

    def sleep(self, seconds: float) -> None:
        pass


class JavaScriptGuest:
    def __init__(self, engine: Engine, module: Module, channel: Channel, meter: Meter) -> None:
        self._engine, self._module = engine, module
        self._channel, self._meter = channel, meter
        self._outside: Outside
        self._store: Store
        self._functions: dict[str, Func] = {}
        self._memory: Memory
        self._hooks: dict[str, int] = {}
        self._undefined = self._length = self._vector = 0

    def run(self, script: str, *, prelude: str, memory_bytes: int, environment: Mapping[str, str]) -> None:
        """Until nothing can move it on, or the hub goes; raises what ends it otherwise."""
        try:
            self._start(memory_bytes, environment)
            hooks = self._eval(prelude, "prelude.js")
            self._hooks = {name: self._property(hooks, name) for name in ("deliver", "settle", "waits", "fire")}
            outcome = self._eval(script, "guest.js", flags=_ALLOW_AWAIT)
            self._finish_jobs()
            if self._call("qjs_promise_state", outcome) == _REJECTED:
                raise LimitExceeded("error", self._take_text(self._call("qjs_promise_result", outcome)))
            while True:
                self._next_event()
        except Trap as trap:
            raise explain(trap, self._meter) from None

    def _start(self, memory_bytes: int, environment: Mapping[str, str]) -> None:
        self._store = store = make_store(self._engine, memory_bytes=memory_bytes)
        self._outside = Outside(self._channel, environment)
        linker = Linker(self._engine)
        Wasi(_Silent(), {}).define(linker, self._module.imports)
        i32 = ValType.i32()
        for name, (parameters, results) in _IMPORTS.items():
            kind = FuncType([i32] * parameters, [i32] * results)
            linker.define_func("env", name, kind, _nothing if results else _really_nothing)
        linker.define_func("env", "host_call", FuncType([i32] * 5, [i32]), self._host_call, access_caller=True)
        instance: Instance = linker.instantiate(store, self._module)
        # Its 300 exports are not listed one by one, which would cost more than everything else here.
        linker.define_instance(store, _NAME, instance)
        self._functions = {name: cast("Func", linker.get(store, _NAME, name)) for name in _FUNCTIONS}
        self._memory = cast("Memory", linker.get(store, _NAME, "memory"))
        self._call("_initialize")
        self._call("qjs_init")
        self._call("qjs_set_memory_limit", int(memory_bytes * _HEAP_SHARE))
        self._call("qjs_set_max_stack_size", _STACK_BYTES)
        self._undefined = self._call("qjs_get_undefined")
        # Two words that every exchange with the engine needs: where it puts a length, and where it finds an argument.
        self._length = self._put(bytes(8))
        self._vector = self._length + 4
        name = self._put(b"pilot\0")
        function = self._call("qjs_new_host_function", name, 5, 2)
        key = self._put(b"__pilot\0")
        self._call("qjs_set_prop_string", self._call("qjs_get_global"), key, function)

    def _next_event(self) -> None:
        waits = self._take_number(self._invoke("waits"))
        if waits == _NOTHING:
            self._channel.idle()
        message = self._channel.receive(waits / 1000 if waits >= 0 else None)
        if message is None:
            self._free(self._invoke("fire"))
        elif message["type"] == "line":
            self._meter.renew()
            self._free(self._invoke("deliver", cast("str", message["text"])))
        elif message["type"] == "host_response":
            self._free(self._invoke("settle", json.dumps(message)))
        self._finish_jobs()

    def _free(self, value: int) -> None:
        self._call("qjs_free_value", value)

    def _finish_jobs(self) -> None:
        while self._call("qjs_execute_pending_job") > 0:
            pass

    def _call(self, name: str, *arguments: int) -> int:
        return cast("int", self._functions[name](self._store, *arguments))

    def _eval(self, code: str, name: str, *, flags: int = 0) -> int:
        source, label = code.encode(errors="surrogatepass"), name.encode() + b"\0"
        text, title = self._put(source + b"\0"), self._put(label)
        value = self._call("qjs_eval", text, len(source), title, flags)
        self._call("wasm_free", text)
        self._call("wasm_free", title)
        return self._checked(value)

    def _invoke(self, hook: str, argument: str | None = None) -> int:
        """Call one of the prelude's functions. What a timer's callback throws is the guest's own trouble: logged."""
        given = 0
        if argument is not None:
            given = self._new_text(argument)
            self._memory.write(self._store, given.to_bytes(4, "little"), self._vector)
        value = self._call("qjs_call", self._hooks[hook], self._undefined, 1 if given else 0, self._vector)
        if given:
            self._free(given)
        if self._call("qjs_is_exception", value):
            self._channel.log("error", self._exception())
        return value

    def _checked(self, value: int) -> int:
        if self._call("qjs_is_exception", value):
            raise LimitExceeded("error", self._exception())
        return value

    def _exception(self) -> str:
        error = self._call("qjs_get_exception")
        stack = self._take_text(self._property(error, "stack"))
        return f"{self._take_text(error)}\n{stack}".strip()

    def _property(self, value: int, name: str) -> int:
        key = self._put(name.encode() + b"\0")
        found = self._call("qjs_get_prop_string", value, key)
        self._call("wasm_free", key)
        return found

    def _put(self, data: bytes) -> int:
        address = self._call("wasm_malloc", len(data)) & 0xFFFFFFFF
        if not address:
            raise LimitExceeded("memory", "it has no memory left")
        self._memory.write(self._store, data, address)
        return address

    def _new_text(self, text: str) -> int:
        data = text.encode(errors="surrogatepass")
        address = self._put(data + b"\0")
        value = self._call("qjs_new_string", address, len(data))
        self._call("wasm_free", address)
        return self._checked(value)

    def _take_number(self, value: int) -> float:
        number: float = self._functions["qjs_get_float64"](self._store, value)
        self._free(value)
        # A guest that tampers with the clock gets no timer rather than a strange one.
        return number if -3 < number < _LONGEST_WAIT_MS else _NOTHING

    def _take_text(self, value: int) -> str:
        """The value as text; it is freed."""
        start = self._call("qjs_get_string_len", value, self._length) & 0xFFFFFFFF
        size = int.from_bytes(self._memory.read(self._store, self._length, self._length + 4), "little")
        text = bytes(self._memory.read(self._store, start, start + size)) if start else b""
        if start:
            self._call("qjs_free_cstring", start)
        self._free(value)
        return text.decode(errors="replace")

    def _host_call(self, caller: Caller, _name: int, _length: int, _this: int, count: int, vector: int) -> int:
        """`pilot(kind, text)`: both are strings, whatever the guest did to its own objects."""
        memory = GuestMemory(caller)
        table = memory.read(vector, 4 * min(count, 2))
        kind, text = ("", "")
        if len(table) == 8:
            kind = self._read_argument(caller, int.from_bytes(table[:4], "little"))
            text = self._read_argument(caller, int.from_bytes(table[4:], "little"))
        answer = self._outside.answer(kind, text).encode(errors="surrogatepass")
        functions = self._functions
        address = cast("int", functions["wasm_malloc"](caller, len(answer) + 1)) & 0xFFFFFFFF
        if not address:
            raise LimitExceeded("memory", "it has no memory left")
        GuestMemory(caller).write(address, answer + b"\0")
        value: int = functions["qjs_new_string"](caller, address, len(answer))
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


def _nothing(*_arguments: Any) -> int:
    return 0


def _really_nothing(*_arguments: Any) -> None:
    return None
