"""The wasmtime engine of guests. A module compiled with these settings can only be loaded with the same ones."""

from __future__ import annotations

from wasmtime import Config, Engine, Module, Store
from wasmtime import _bindings as bindings  # pyright: ignore[reportPrivateImportUsage]  see _set_stack

# Changes with the settings below, so that modules compiled with other ones are not loaded.
SETTINGS = 2
# All addresses that a 32-bit memory can have, and as much beyond: then no access needs a check, which saves a fifth of
# the time. Reserved addresses are no memory.
_RESERVED_BYTES = 4 << 30
_GUARD_BYTES = 32 << 20
# A script's own stack limit is reached before this one, so that it can catch the error (``quickjs_guest``).
STACK_BYTES = 16 << 20


def make_engine() -> Engine:
    config = Config()
    config.parallel_compilation = False
    _set_stack(config)
    config.memory_reservation = _RESERVED_BYTES
    config.memory_guard_size = _GUARD_BYTES
    config.memory_may_move = False
    config.memory_init_cow = False
    config.wasm_threads = False
    config.shared_memory = False
    config.wasm_memory64 = False
    config.wasm_multi_memory = False
    return Engine(config)


def make_store(engine: Engine, *, memory_bytes: int) -> Store:
    store = Store(engine)
    store.set_limits(memory_size=memory_bytes, table_elements=100_000, instances=1, tables=8, memories=1)
    return store


def compile_module(code: bytes) -> bytes:
    return bytes(Module(make_engine(), code).serialize())


def _set_stack(config: Config) -> None:
    # wasmtime aborts the process when its stacks for async calls, which are not used here, are smaller. Their size
    # can only be set below its Python API.
    bindings.wasmtime_config_async_stack_size_set(config.ptr(), STACK_BYTES + (1 << 20))
    config.max_wasm_stack = STACK_BYTES
