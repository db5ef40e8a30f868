"""A running proxy with its own resolver and one session, and servers behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TypeVar

import pytest

from browser_pilot.egress import BlockedByPolicy, ConnectionRequest, EgressProxy, NetworkFailure, ProxyLimits
from browser_pilot.egress.happy_eyeballs import connect_protocol
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.ip_networks import AddressClass
from browser_pilot.policy.subresources import ReachDecision

P = TypeVar("P", bound=asyncio.BaseProtocol)
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class HostListPolicy:
    """Allows the listed hosts, at any address, except to some origins."""

    def __init__(self, *allowed: str) -> None:
        self.allowed = allowed
        self.requests: list[ConnectionRequest] = []
        self.refusals: list[BlockedByPolicy] = []
        self.failures: list[NetworkFailure] = []
        self.needs_urls = False
        self.denied_origins: set[str] = set()

    def decide_host(self, request: ConnectionRequest) -> ReachDecision:
        self.requests.append(request)
        return ReachDecision(
            request.site.host in self.allowed, "the test's rule", f"{request.site.host} <is> not listed.", True
        )

    def decide_address(
        self,
        request: ConnectionRequest,
        host_decision: ReachDecision,
        kind: AddressClass,
        addresses: Iterable[str] = (),
    ) -> ReachDecision:
        initiator = request.origin.host if request.origin is not None else None
        return ReachDecision(initiator not in self.denied_origins, "the test's rule", f"{initiator} is not allowed.")

    def rules_version(self) -> object:
        return self.allowed

    def record_error(self, error: BlockedByPolicy | NetworkFailure) -> None:
        if isinstance(error, BlockedByPolicy):
            self.refusals.append(error)
        else:
            self.failures.append(error)

    def record_connected(self, site: Site) -> None:
        pass


class Network:
    """The proxy, the access policy of its one session, and servers that are closed at the end."""

    def __init__(self) -> None:
        self.names: dict[str, tuple[str, ...]] = {"a.test": ("127.0.0.1",), "b.test": ("127.0.0.1",)}
        self.resolved_names: list[str] = []
        self.access_policy = HostListPolicy("a.test", "b.test")
        self.proxy = EgressProxy(resolver=self.resolve, limits=ProxyLimits(connect_timeout_seconds=5.0))
        self.port = 0
        self._servers: list[asyncio.Server] = []
        self._writers: list[asyncio.StreamWriter] = []
        self.handlers: set[asyncio.Task[None]] = set()

    async def resolve(self, host: str) -> tuple[str, ...]:
        self.resolved_names.append(host)
        if host not in self.names:
            raise OSError(f"no such name: {host}")
        return self.names[host]

    @contextmanager
    def connecting_to(self, address: str) -> Generator[None]:
        """Connect to this address; the access policy still judges the resolved one."""

        async def connect(addresses: tuple[str, ...], port: int, protocol: Callable[[], P]) -> P:
            return await connect_protocol((address,), port, protocol)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("browser_pilot.egress.upstream_route.connect_protocol", connect)
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

    async def wait_closed(self) -> None:
        """Wait until all connections and handlers have ended."""
        await self.proxy.wait_no_connections()
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
