"""A running proxy with names of its own, and servers behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from browser_pilot.egress import Ask, EgressProxy, Failure, Limits, Refusal
from browser_pilot.egress.connect import connect_first
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.networks import AddressClass
from browser_pilot.policy.reach import Reach

P = TypeVar("P", bound=asyncio.BaseProtocol)
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class NamedGate:
    """Lets through what is named; knows nothing of addresses."""

    def __init__(self, *allowed: str) -> None:
        self.allowed = allowed
        self.asked: list[Ask] = []
        self.refusals: list[Refusal] = []
        self.failures: list[Failure] = []
        self.looks_into_urls = False
        self.strangers: set[str] = set()

    def allows(self, ask: Ask) -> Reach:
        self.asked.append(ask)
        return Reach(ask.site.host in self.allowed, "the test's rule", f"{ask.site.host} <is> not named.", True)

    def allows_address(self, ask: Ask, found: Reach, kind: AddressClass) -> Reach:
        asker = ask.origin.host if ask.origin is not None else None
        return Reach(asker not in self.strangers, "the test's rule", f"{asker} is a stranger.")

    def edition(self) -> object:
        return self.allowed

    def told(self, trouble: Refusal | Failure) -> None:
        if isinstance(trouble, Refusal):
            self.refusals.append(trouble)
        else:
            self.failures.append(trouble)

    def reached(self, site: Site) -> None:
        pass


class Network:
    """The proxy, the gate of its one session, and servers that are closed at the end."""

    def __init__(self) -> None:
        self.names: dict[str, tuple[str, ...]] = {"a.test": ("127.0.0.1",), "b.test": ("127.0.0.1",)}
        self.looked_up: list[str] = []
        self.gate = NamedGate("a.test", "b.test")
        self.proxy = EgressProxy(resolver=self.resolve, limits=Limits(connect_seconds=5.0))
        self.port = 0
        self._servers: list[asyncio.Server] = []
        self._writers: list[asyncio.StreamWriter] = []
        self.handlers: set[asyncio.Task[None]] = set()

    async def resolve(self, host: str) -> tuple[str, ...]:
        self.looked_up.append(host)
        if host not in self.names:
            raise OSError(f"no such name: {host}")
        return self.names[host]

    @contextmanager
    def reaching(self, address: str) -> Generator[None]:
        """Connect to this address instead of the one that a name has, which counts as public."""

        async def connect(addresses: tuple[str, ...], port: int, protocol: Callable[[], P]) -> P:
            return await connect_first((address,), port, protocol)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("browser_pilot.egress.connection.connect_first", connect)
            yield

    async def serve(self, handler: Handler, address: str = "127.0.0.1") -> int:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self.handlers.add(task)
            try:
                await handler(reader, writer)
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            finally:
                self.handlers.discard(task)
                writer.close()

        server = await asyncio.start_server(handle, address, 0)
        self._servers.append(server)
        return server.sockets[0].getsockname()[1]

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self._writers.append(writer)
        return reader, writer

    async def settled(self) -> None:
        """Wait until nothing that was started is under way."""
        await self.proxy.emptied()
        while self.handlers:
            await asyncio.wait(self.handlers)

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        await self.proxy.close()
        for server in self._servers:
            server.close()
        for task in list(self.handlers):
            task.cancel()
        await asyncio.gather(*self.handlers, return_exceptions=True)
