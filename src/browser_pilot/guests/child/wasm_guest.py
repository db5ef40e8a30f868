"""A guest that is a WASI module: JSON-RPC lines on its streams, and one import for host requests.

``browser_pilot.host_request(ptr, len) -> i64`` takes JSON ``{"method", "params"}`` and blocks. The response, JSON with
``result`` or ``error``, is written to memory from the guest's own ``browser_pilot_alloc(len) -> ptr`` (or ``malloc``);
the i64 has its address in the upper half and its length in the lower. 0 means that the allocation failed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, cast

from wasmtime import Caller, Engine, Func, FuncType, Linker, Module, Trap, ValType, WasmtimeError

from .channel import Channel, GuestTerminated
from .cpu_budget import CpuBudget
from .wasi import GuestExited, GuestMemory, Wasi
from .wasm_engine import make_store

ALLOCATORS = ("browser_pilot_alloc", "malloc")
_MAX_LINE_BYTES = 4 << 20


class _Streams:
    """The guest's streams: lines from and to the hub; stderr goes to its log."""

    def __init__(self, channel: Channel, cpu_budget: CpuBudget) -> None:
        self._channel, self._cpu_budget = channel, cpu_budget
        self._input = b""
        self._partial = {1: b"", 2: b""}

    def read(self, size: int) -> bytes:
        if not self._input:
            self._input = self._next_line()
            self._cpu_budget.reset()
        data, self._input = self._input[:size], self._input[size:]
        return data

    def write(self, stream: int, data: bytes) -> None:
        *lines, rest = (self._partial[stream] + data).split(b"\n")
        if len(rest) > _MAX_LINE_BYTES:
            raise GuestTerminated("output", "a line without an end")
        self._partial[stream] = rest
        for line in lines:
            text = line.decode(errors="replace")
            if stream == 1:
                self._channel.send_line(text)
            else:
                self._channel.send_log("info", text)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _next_line(self) -> bytes:
        self._channel.send_reading()
        message = self._channel.receive(0, only="line")
        if message is None:
            self._channel.send_idle()
        while message is None:
            message = self._channel.receive(only="line")
        return cast("str", message["text"]).encode() + b"\n"


class WasmGuest:
    def __init__(self, engine: Engine, module: Module, channel: Channel, cpu_budget: CpuBudget) -> None:
        self._engine, self._module = engine, module
        self._channel, self._cpu_budget = channel, cpu_budget
        self._requests = 0

    def run(self, *, memory_bytes: int, environment: Mapping[str, str]) -> None:
        """Runs until the guest exits with code 0. Raises ``GuestTerminated`` otherwise."""
        store = make_store(self._engine, memory_bytes=memory_bytes)
        linker = Linker(self._engine)
        Wasi(_Streams(self._channel, self._cpu_budget), dict(environment)).define(linker, self._module.imports)
        i32, i64 = ValType.i32(), ValType.i64()
        linker.define_func(
            "browser_pilot", "host_request", FuncType([i32, i32], [i64]), self._host_request, access_caller=True
        )
        try:
            exports = linker.instantiate(store, self._module).exports(store)
            start = exports.get("_start")
            if not isinstance(start, Func):
                raise GuestTerminated("error", "the module has no _start: it must be a WASI command")
            start(store)
        except GuestExited as exited:
            if exited.code:
                raise GuestTerminated("exit", str(exited)) from None
        except Trap as trap:
            raise trap_error(trap) from None
        except WasmtimeError as error:
            raise GuestTerminated("error", str(error).splitlines()[0]) from None

    def _host_request(self, caller: Caller, request_address: int, length: int) -> int:
        request = _parse(GuestMemory(caller).read(request_address, length))
        self._requests += 1
        self._channel.send_host_request(
            self._requests, request.get("method"), request.get("params"), self._channel.call
        )
        response = self._wait_for_response(self._requests)
        data = json.dumps(response).encode()
        address = self._allocate(caller, len(data))
        if not address:
            return 0
        GuestMemory(caller).write(address, data)
        value = address << 32 | len(data)
        return value - (1 << 64) if value >= 1 << 63 else value

    def _wait_for_response(self, request_id: int) -> dict[str, Any]:
        while True:
            message = self._channel.receive(only="host_response")
            if message is not None and message["id"] == request_id:
                return {key: message[key] for key in ("result", "error") if key in message}

    def _allocate(self, caller: Caller, length: int) -> int:
        for name in ALLOCATORS:
            allocate = caller.get(name)
            if isinstance(allocate, Func):
                return cast("int", allocate(caller, length)) & 0xFFFFFFFF
        raise GuestTerminated("error", f"the module exports none of {', '.join(ALLOCATORS)}")


def trap_error(trap: Trap) -> GuestTerminated:
    return GuestTerminated("trap", trap.message.splitlines()[-1].strip())


def _parse(data: bytes) -> dict[str, Any]:
    try:
        # Decoded first: for bytes, json would import another codec, which the sandbox forbids.
        value: object = json.loads(data.decode(errors="replace"))
    except (ValueError, RecursionError):
        value = None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
