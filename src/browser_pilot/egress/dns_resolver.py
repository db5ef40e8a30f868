"""DNS resolution, once per connection: the addresses that the access policy evaluates are the ones connected to.

The system's resolver runs in the loop's executor. Its results are cached for a short time, so that the connections of
a page load share one query. Failures are not cached.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from functools import partial

from browser_pilot.policy.hosts import is_address

LOOPBACK = ("127.0.0.1", "::1")
TTL_SECONDS = 30.0
MAX_NAMES = 1000
# Behind a company's proxy there may be no resolver at all. A page must not wait for it with each name.
UNSURE_TIMEOUT_SECONDS = 1.0
SILENCE_SECONDS = 300.0

# From a name to its addresses in order of preference. Raises OSError.
Resolver = Callable[[str], Awaitable[tuple[str, ...]]]


async def system_resolver(host: str) -> tuple[str, ...]:
    """The system's addresses for a name. Names under localhost are loopback without a query, as in browsers."""
    if host == "localhost" or host.endswith(".localhost"):
        return LOOPBACK
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


class DnsCache:
    """Caches a resolver's results. Concurrent queries for one name share one."""

    def __init__(self, resolver: Resolver = system_resolver) -> None:
        self._resolver = resolver
        self._entries: dict[str, tuple[float, asyncio.Future[tuple[str, ...]]]] = {}
        self._silent_until = 0.0

    async def addresses(self, host: str) -> tuple[str, ...]:
        if is_address(host):
            return (host.strip("[]"),)
        now = asyncio.get_running_loop().time()
        entry = self._entries.get(host)
        if entry is None or now >= entry[0]:
            if len(self._entries) >= MAX_NAMES:
                self._entries.pop(next(iter(self._entries)))
            task = asyncio.ensure_future(self._resolver(host))
            task.add_done_callback(partial(self._forget_failure, host))
            entry = self._entries[host] = (now + TTL_SECONDS, task)
        # A cancelled caller must not cancel the query for the others.
        return await asyncio.shield(entry[1])

    async def addresses_if_known(self, host: str) -> tuple[str, ...]:
        """The same; empty where the name is unknown here, or the resolver does not respond soon."""
        now = asyncio.get_running_loop().time()
        if now < self._silent_until and not is_address(host):
            return ()
        try:
            async with asyncio.timeout(UNSURE_TIMEOUT_SECONDS):
                return await self.addresses(host)
        except TimeoutError:
            self._silent_until = now + SILENCE_SECONDS
        except OSError:
            pass
        return ()

    async def close(self) -> None:
        tasks = [task for _, task in self._entries.values()]
        self._entries.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget_failure(self, host: str, task: asyncio.Future[tuple[str, ...]]) -> None:
        if task.cancelled() or task.exception() is not None:
            self._entries.pop(host, None)
