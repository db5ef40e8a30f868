"""The wasmtime engine of guests. A module compiled with these settings can only be loaded with the same ones."""

from __future__ import annotations

from wasmtime import Config, Engine, Module, Store

# Changes with the settings below, so that modules compiled with other ones are not loaded.
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
    # wasmtime's default reservations of gigabytes do not fit under RLIMIT_AS.
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
    # ``CpuBudget`` increments the epoch once, to interrupt the guest.
    store.set_epoch_deadline(1)
    return store


def compile_module(code: bytes) -> bytes:
    return bytes(Module(make_engine(), code).serialize())
