"""WASI preview 1 for guests: three streams, clocks, random numbers, arguments and environment; no files.

Not wasmtime's own WASI, which has files and sockets. Every function that is not here returns "not supported". The
``Streams`` implement reading and writing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Protocol

from wasmtime import Caller, FuncType, ImportType, Linker, Memory

from .channel import GuestTerminated

MODULE = "wasi_snapshot_preview1"
_SUCCESS, _BAD_FILE, _FAULT, _INVALID, _NOT_SUPPORTED = 0, 8, 21, 28, 52
_CHARACTER_DEVICE = 2
_MAX_VECTORS = 1024
_MAX_RANDOM_BYTES = 1 << 16
_MAX_SLEEP_SECONDS = 60.0
_CLOCK_SUBSCRIPTION, _ABSOLUTE = 0, 1


class Streams(Protocol):
    def read(self, size: int) -> bytes: ...

    def write(self, stream: int, data: bytes) -> None: ...

    def sleep(self, seconds: float) -> None: ...


class GuestExited(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"it ended with code {code}")
        self.code = code


class GuestMemory:
    """The guest's memory during one call; an address outside of it ends the guest."""

    def __init__(self, caller: Caller) -> None:
        memory = caller.get("memory")
        if not isinstance(memory, Memory):
            raise GuestTerminated("error", "the module exports no memory")
        self._caller, self._memory = caller, memory
        self._size = memory.data_len(caller)

    def read(self, address: int, length: int) -> bytes:
        start, length = address & 0xFFFFFFFF, length & 0xFFFFFFFF
        if start + length > self._size:
            raise GuestTerminated("error", "it accessed memory outside of its own")
        return bytes(self._memory.read(self._caller, start, start + length)) if length else b""

    def write(self, address: int, data: bytes) -> None:
        start = address & 0xFFFFFFFF
        if start + len(data) > self._size:
            raise GuestTerminated("error", "it accessed memory outside of its own")
        if data:
            self._memory.write(self._caller, data, start)

    def write_int(self, address: int, value: int, size: int = 4) -> None:
        self.write(address, (value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))

    def vectors(self, address: int, count: int) -> list[tuple[int, int]]:
        table = self.read(address, 8 * min(count & 0xFFFFFFFF, _MAX_VECTORS))
        words = [int.from_bytes(table[at : at + 4], "little") for at in range(0, len(table), 4)]
        return list(zip(words[::2], words[1::2], strict=True))


class Wasi:
    def __init__(self, streams: Streams, environment: dict[str, str]) -> None:
        self._streams = streams
        self._environment = [f"{name}={value}\0".encode() for name, value in environment.items()]

    def define(self, linker: Linker, imports: list[ImportType]) -> None:
        """Define the WASI functions that the module imports."""
        for one in imports:
            if one.module == MODULE and isinstance(one.type, FuncType) and one.name is not None:
                function: Callable[..., Any] = getattr(self, f"_{one.name}", _not_supported)
                linker.define_func(MODULE, one.name, one.type, function, access_caller=True)

    def _args_sizes_get(self, caller: Caller, count: int, size: int) -> int:
        memory = GuestMemory(caller)
        memory.write_int(count, 0)
        memory.write_int(size, 0)
        return _SUCCESS

    def _args_get(self, _caller: Caller, _table: int, _texts: int) -> int:
        return _SUCCESS

    def _environ_sizes_get(self, caller: Caller, count: int, size: int) -> int:
        memory = GuestMemory(caller)
        memory.write_int(count, len(self._environment))
        memory.write_int(size, sum(map(len, self._environment)))
        return _SUCCESS

    def _environ_get(self, caller: Caller, table: int, texts: int) -> int:
        memory = GuestMemory(caller)
        for index, entry in enumerate(self._environment):
            memory.write_int(table + 4 * index, texts)
            memory.write(texts, entry)
            texts += len(entry)
        return _SUCCESS

    def _clock_time_get(self, caller: Caller, clock: int, _precision: int, result: int) -> int:
        if clock not in (0, 1):
            return _INVALID
        GuestMemory(caller).write_int(result, time.time_ns() if clock == 0 else time.monotonic_ns(), 8)
        return _SUCCESS

    def _clock_res_get(self, caller: Caller, _clock: int, result: int) -> int:
        GuestMemory(caller).write_int(result, 1_000_000, 8)
        return _SUCCESS

    def _random_get(self, caller: Caller, address: int, length: int) -> int:
        memory, length = GuestMemory(caller), length & 0xFFFFFFFF
        for start in range(0, length, _MAX_RANDOM_BYTES):
            memory.write(address + start, os.urandom(min(_MAX_RANDOM_BYTES, length - start)))
        return _SUCCESS

    def _fd_read(self, caller: Caller, stream: int, vectors: int, count: int, result: int) -> int:
        if stream != 0:
            return _BAD_FILE
        memory = GuestMemory(caller)
        buffers = memory.vectors(vectors, count)
        data = self._streams.read(sum(length for _, length in buffers))
        memory.write_int(result, len(data))
        for address, length in buffers:
            memory.write(address, data[:length])
            data = data[length:]
        return _SUCCESS

    def _fd_write(self, caller: Caller, stream: int, vectors: int, count: int, result: int) -> int:
        if stream not in (1, 2):
            return _BAD_FILE
        memory = GuestMemory(caller)
        data = b"".join(memory.read(address, length) for address, length in memory.vectors(vectors, count))
        self._streams.write(stream, data)
        memory.write_int(result, len(data))
        return _SUCCESS

    def _fd_fdstat_get(self, caller: Caller, stream: int, result: int) -> int:
        if stream not in (0, 1, 2):
            return _BAD_FILE
        stat = bytes([_CHARACTER_DEVICE]) + bytes(7) + (0x42).to_bytes(8, "little") + bytes(8)
        GuestMemory(caller).write(result, stat)
        return _SUCCESS

    def _fd_prestat_get(self, _caller: Caller, _stream: int, _result: int) -> int:
        return _BAD_FILE

    def _fd_close(self, _caller: Caller, _stream: int) -> int:
        return _SUCCESS

    def _sched_yield(self, _caller: Caller) -> int:
        return _SUCCESS

    def _proc_exit(self, _caller: Caller, code: int) -> None:
        raise GuestExited(code)

    def _poll_oneoff(self, caller: Caller, subscriptions: int, events: int, count: int, result: int) -> int:
        """Sleeping only: reads block by themselves."""
        memory = GuestMemory(caller)
        if count != 1:
            return _NOT_SUPPORTED
        subscription = memory.read(subscriptions, 48)
        if subscription[8] != _CLOCK_SUBSCRIPTION:
            return _NOT_SUPPORTED
        clock = int.from_bytes(subscription[16:20], "little")
        nanoseconds = int.from_bytes(subscription[24:32], "little")
        if int.from_bytes(subscription[40:42], "little") & _ABSOLUTE:
            nanoseconds -= time.time_ns() if clock == 0 else time.monotonic_ns()
        self._streams.sleep(max(0.0, min(nanoseconds / 1e9, _MAX_SLEEP_SECONDS)))
        memory.write(events, subscription[:8] + bytes(24))
        memory.write_int(result, 1)
        return _SUCCESS


def _not_supported(*_arguments: object) -> int:
    return _NOT_SUPPORTED
