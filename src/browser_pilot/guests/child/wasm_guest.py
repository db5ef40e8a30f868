"""A guest that is a WASI module: JSON-RPC lines on its streams, and one import to ask the host for something.

``browser_pilot.host_request(ptr, len) -> i64`` takes JSON ``{"method", "params"}`` and waits. The answer, JSON with
``result`` or ``error``, is put into memory that the guest's own ``browser_pilot_alloc(len) -> ptr`` (or ``malloc``)
gives; the i64 is its address in the upper half and its length in the lower. 0 means that there was no room.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, cast

from wasmtime import Caller, Engine, Func, FuncType, Linker, Module, Trap, TrapCode, ValType, WasmtimeError

from .channel import Channel, LimitExceeded
from .engine import make_store
from .meter import Meter
from .wasi import Exited, GuestMemory, Wasi

ALLOCATORS = ("browser_pilot_alloc", "malloc")
_LONGEST_LINE = 4 << 20


class _Streams:
    """The guest's streams: lines from and to the hub; what it writes to its third goes to its log."""

    def __init__(self, channel: Channel, meter: Meter) -> None:
        self._channel, self._meter = channel, meter
        self._input = b""
        self._partial = {1: b"", 2: b""}

    def read(self, size: int) -> bytes:
        if not self._input:
            self._input = self._next_line()
            self._meter.renew()
        data, self._input = self._input[:size], self._input[size:]
        return data

    def write(self, stream: int, data: bytes) -> None:
        *lines, rest = (self._partial[stream] + data).split(b"\n")
        if len(rest) > _LONGEST_LINE:
            raise LimitExceeded("output", "a line without an end")
        self._partial[stream] = rest
        for line in lines:
            text = line.decode(errors="replace")
            if stream == 1:
                self._channel.line(text)
            else:
                self._channel.log("info", text)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _next_line(self) -> bytes:
        message = self._channel.receive(0, only="line")
        if message is None:
            self._channel.idle()
        while message is None:
            message = self._channel.receive(only="line")
        return cast("str", message["text"]).encode() + b"\n"


class WasmGuest:
    def __init__(self, engine: Engine, module: Module, channel: Channel, meter: Meter) -> None:
        self._engine, self._module = engine, module
        self._channel, self._meter = channel, meter
        self._requests = 0

    def run(self, *, memory_bytes: int, environment: Mapping[str, str]) -> None:
        """Until it ends by itself; raises what ends it otherwise."""
        store = make_store(self._engine, memory_bytes=memory_bytes)
        linker = Linker(self._engine)
        Wasi(_Streams(self._channel, self._meter), dict(environment)).define(linker, self._module.imports)
        i32, i64 = ValType.i32(), ValType.i64()
        linker.define_func(
            "browser_pilot", "host_request", FuncType([i32, i32], [i64]), self._host_request, access_caller=True
        )
        try:
            exports = linker.instantiate(store, self._module).exports(store)
            start = exports.get("_start")
            if not isinstance(start, Func):
                raise LimitExceeded("error", "the module has no _start: it must be a WASI command")
            start(store)
        except Exited as exited:
            if exited.code:
                raise LimitExceeded("exit", str(exited)) from None
        except Trap as trap:
            raise explain(trap, self._meter) from None
        except WasmtimeError as error:
            raise LimitExceeded("error", str(error).splitlines()[0]) from None

    def _host_request(self, caller: Caller, address: int, length: int) -> int:
        asked = _parse(GuestMemory(caller).read(address, length))
        self._requests += 1
        self._channel.host_request(self._requests, asked.get("method"), asked.get("params"))
        answer = self._wait_for(self._requests)
        data = json.dumps(answer).encode()
        room = self._allocate(caller, len(data))
        if not room:
            return 0
        GuestMemory(caller).write(room, data)
        value = room << 32 | len(data)
        return value - (1 << 64) if value >= 1 << 63 else value

    def _wait_for(self, request_id: int) -> dict[str, Any]:
        while True:
            message = self._channel.receive(only="host_response")
            if message is not None and message["id"] == request_id:
                return {key: message[key] for key in ("result", "error") if key in message}

    def _allocate(self, caller: Caller, length: int) -> int:
        for name in ALLOCATORS:
            allocate = caller.get(name)
            if isinstance(allocate, Func):
                return cast("int", allocate(caller, length)) & 0xFFFFFFFF
        raise LimitExceeded("error", f"the module exports none of {', '.join(ALLOCATORS)}")


def explain(trap: Trap, meter: Meter) -> LimitExceeded:
    if meter.exceeded and trap.trap_code is TrapCode.INTERRUPT:
        return LimitExceeded("cpu", "it computed for too long")
    return LimitExceeded("trap", trap.message.splitlines()[-1].strip())


def _parse(data: bytes) -> dict[str, Any]:
    try:
        # Decoded first: for bytes, json would look for another codec, which cannot be loaded any more.
        value: object = json.loads(data.decode(errors="replace"))
    except (ValueError, RecursionError):
        value = None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
