"""Loads an installed guest for the hub without blocking its event loop.

A manifest is the author's: it has up to 8 MB, and validating the schemas of its tools can take minutes. Only a small
one is read in the event loop; a worker process with a deadline loads the others.
"""

from __future__ import annotations

from browser_pilot.errors import InvalidArgument
from browser_pilot.worker_processes import run_in_worker

from .guest_store import GuestStore, InstalledGuest

MAX_INLINE_BYTES = 3_000
MAX_INLINE_CODE_BYTES = 256 << 10
LOAD_TIMEOUT_SECONDS = 10.0


async def load_guest(store: GuestStore, name: str) -> InstalledGuest:
    """``GuestStore.load`` for the event loop. Raises ``InvalidArgument``, also when loading takes too long."""
    try:
        parsed_bytes, code_bytes = store.sizes(name)
    except OSError:
        parsed_bytes = code_bytes = 0  # ``load`` says what is missing
    if parsed_bytes <= MAX_INLINE_BYTES and code_bytes <= MAX_INLINE_CODE_BYTES:
        return store.load(name)
    try:
        return await run_in_worker(store.load, name, timeout_seconds=LOAD_TIMEOUT_SECONDS)
    except TimeoutError:
        raise InvalidArgument(
            f"The guest {name} is not used: its manifest cannot be validated within {LOAD_TIMEOUT_SECONDS:g} seconds.",
            suggestions=[f"`browser-pilot guest remove {name}`"],
        ) from None
