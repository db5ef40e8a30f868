"""Opening a connection to one of several addresses: the next is tried when the last is slow or fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

HEAD_START_SECONDS = 0.25

P = TypeVar("P", bound=asyncio.BaseProtocol)


async def connect_first(
    addresses: tuple[str, ...], port: int, protocol: Callable[[], P], *, head_start_seconds: float = HEAD_START_SECONDS
) -> P:
    """The first connection that stands; the others are given up. Raises ``OSError`` when none can be made."""
    loop = asyncio.get_running_loop()
    begun: list[asyncio.Task[P]] = []
    attempts: set[asyncio.Task[P]] = set()
    chosen: asyncio.Task[P] | None = None
    waiting = list(addresses)
    failure: OSError = OSError("the name has no address")

    async def attempt(address: str) -> P:
        _, made = await loop.create_connection(protocol, address, port)
        return made

    try:
        while waiting or attempts:
            if waiting:
                begun.append(asyncio.create_task(attempt(waiting.pop(0))))
                attempts.add(begun[-1])
            timeout = head_start_seconds if waiting else None
            done, attempts = await asyncio.wait(attempts, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                error = task.exception()
                if error is None:
                    chosen = task
                    return task.result()
                if not isinstance(error, OSError):
                    raise error
                failure = error
        raise failure
    finally:
        # Two may have come about at once; the one that was not chosen is given up as well.
        for task in begun:
            if task is not chosen:
                task.cancel()
                task.add_done_callback(_discard)


def _discard(task: asyncio.Task[P]) -> None:
    # A connection that came about at the very moment it was given up must not stay open.
    with suppress(asyncio.CancelledError, OSError):
        made = task.result()
        transport = getattr(made, "transport", None)
        if isinstance(transport, asyncio.Transport):
            transport.abort()
