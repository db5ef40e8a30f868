"""wasmtime as every guest gets it. What is compiled under these settings can only be loaded under the same."""

from __future__ import annotations

from wasmtime import Config, Engine, Module, Store

# Changes with the settings below, so that nothing is loaded that was compiled under others.
SETTINGS = 1
_RESERVED_BYTES = 64 << 20
_GUARD_BYTES = 64 << 10
# From 2 MiB on wasmtime would abort the process.
_STACK_BYTES = 1 << 20


def make_engine() -> Engine:
    config = Config()
    config.epoch_interruption = True
    config.parallel_compilation = False
    config.max_wasm_stack = _STACK_BYTES
    # wasmtime's own reservations of gigabytes do not fit under a limit of the address space.
    config.memory_reservation = _RESERVED_BYTES
    config.memory_guard_size = _GUARD_BYTES
    config.memory_init_cow = False
    config.wasm_threads = False
    config.shared_memory = False
    config.wasm_memory64 = False
    config.wasm_multi_memory = False
    return Engine(config)


def make_store(engine: Engine, *, memory_bytes: int) -> Store:
    store = Store(engine)
    store.set_limits(memory_size=memory_bytes, table_elements=100_000, instances=1, tables=8, memories=1)
    # The meter moves the epoch once, when the guest is to be interrupted.
    store.set_epoch_deadline(1)
    return store


def compile_module(code: bytes) -> bytes:
    return bytes(Module(make_engine(), code).serialize())
