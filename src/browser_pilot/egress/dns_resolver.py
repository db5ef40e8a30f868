"""Names to addresses, once: the addresses that are judged are the very ones that are connected to.

The system's resolver runs in the loop's executor; its answers are kept for a short while, so that the connections of a
page load share one look-up. A failure is not kept.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from functools import partial

from ..policy.hosts import is_address

LOOPBACK = ("127.0.0.1", "::1")
KEPT_SECONDS = 30.0
KEPT_NAMES = 1000

# From a name to its addresses in order of preference. Raises OSError.
Resolver = Callable[[str], Awaitable[tuple[str, ...]]]


async def look_up(host: str) -> tuple[str, ...]:
    """Ask the system; but names under localhost are this machine's, as browsers know without asking."""
    if host == "localhost" or host.endswith(".localhost"):
        return LOOPBACK
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


class Resolutions:
    """What a resolver said lately. Look-ups of the same name at the same time are one."""

    def __init__(self, resolver: Resolver = look_up) -> None:
        self._resolver = resolver
        self._kept: dict[str, tuple[float, asyncio.Future[tuple[str, ...]]]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        if is_address(host):
            return (host.strip("[]"),)
        now = asyncio.get_running_loop().time()
        kept = self._kept.get(host)
        if kept is None or now >= kept[0]:
            if len(self._kept) >= KEPT_NAMES:
                self._kept.pop(next(iter(self._kept)))
            task = asyncio.ensure_future(self._resolver(host))
            task.add_done_callback(partial(self._forget_failure, host))
            kept = self._kept[host] = (now + KEPT_SECONDS, task)
        # One caller that gives up must not end the look-up of the others.
        return await asyncio.shield(kept[1])

    async def close(self) -> None:
        tasks = [task for _, task in self._kept.values()]
        self._kept.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget_failure(self, host: str, task: asyncio.Future[tuple[str, ...]]) -> None:
        if task.cancelled() or task.exception() is not None:
            self._kept.pop(host, None)
