"""The filtering proxy that managed browsers must use: a listener on loopback and its registered sessions.

Lifecycle: ``start`` listens; ``register`` admits a session by its credentials, ``unregister`` aborts its connections;
``close`` ends everything and leaves no socket and no task behind. Connections are handled in ``proxy_connection``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import logging
from collections.abc import Callable
from dataclasses import dataclass

from .access_policy import AccessPolicy
from .dns_resolver import DnsCache, Resolver, system_resolver
from .parent_proxy import ParentProxy
from .proxy_connection import ClientConnection, ProxySessionEntry

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
BACKLOG = 512


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """``idle_timeout_seconds`` is long because a WebSocket may be silent for long."""

    connect_timeout_seconds: float = 30.0
    idle_timeout_seconds: float = 1800.0
    sweep_interval_seconds: float = 30.0


class EgressProxy:
    """``parent_proxy`` returns the proxy that all sessions use after ours; a session's own comes first."""

    def __init__(
        self,
        *,
        resolver: Resolver = system_resolver,
        limits: ProxyLimits | None = None,
        parent_proxy: Callable[[], ParentProxy | None] = lambda: None,
    ) -> None:
        self.limits = limits or ProxyLimits()
        self.parent_proxy = parent_proxy
        self.dns_cache = DnsCache(resolver)
        self._sessions: dict[str, ProxySessionEntry] = {}
        self._connections: set[ClientConnection] = set()
        self._server: asyncio.Server | None = None
        self._address = (LOOPBACK, 0)
        self._starting = asyncio.Lock()
        self._sweep_timer: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def connect_timeout_seconds(self) -> float:
        return self.limits.connect_timeout_seconds

    async def start(self, host: str = LOOPBACK, port: int = 0) -> int:
        """Listen; returns the port."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: ClientConnection(self), host, port, backlog=BACKLOG)
        self._address = (host, self._server.sockets[0].getsockname()[1])
        if self._sweep_timer is None:
            self._sweep_timer = loop.call_later(self.limits.sweep_interval_seconds, self._sweep)
        return self.port

    async def ensure_listening(self) -> bool:
        """Listen again at the same port, unless it listens. False if it did. Raises ``OSError``."""
        async with self._starting:
            if self.is_listening:
                return False
            await self.start(*self._address)
            return True

    @property
    def port(self) -> int:
        return self._address[1]

    @property
    def is_listening(self) -> bool:
        return self._server is not None and self._server.is_serving()

    def register(
        self, key: str, secret: str, access_policy: AccessPolicy, *, parent: ParentProxy | None = None
    ) -> None:
        """Admit a session: its browser context authenticates as ``key`` with ``secret``."""
        self.unregister(key)
        self._sessions[key] = ProxySessionEntry(key, secret, access_policy, parent)

    def unregister(self, key: str) -> None:
        """Remove a session and abort its connections."""
        session = self._sessions.pop(key, None)
        for connection in [one for one in self._connections if one.session is session is not None]:
            connection.abort()

    async def close(self) -> None:
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
            self._sweep_timer = None
        server, self._server = self._server, None
        if server is not None:
            server.close()
        tasks = [task for connection in list(self._connections) if (task := connection.abort()) is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.wait_no_connections()
        await self.dns_cache.close()
        if server is not None:
            await server.wait_closed()

    async def wait_no_connections(self) -> None:
        """Wait until no connection is open."""
        await self._empty.wait()

    @property
    def open_connections(self) -> int:
        return len(self._connections)

    def authenticate(self, header: str | None) -> ProxySessionEntry | None:
        scheme, _, encoded = (header or "").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            key, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        session = self._sessions.get(key)
        matches = hmac.compare_digest(secret.encode(), session.secret.encode() if session else b"")
        return session if matches else None

    def on_opened(self, connection: ClientConnection) -> None:
        self._connections.add(connection)
        self._empty.clear()

    def on_closed(self, connection: ClientConnection) -> None:
        self._connections.discard(connection)
        if not self._connections:
            self._empty.set()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - self.limits.idle_timeout_seconds
        for connection in [one for one in self._connections if one.last_active < oldest]:
            logger.debug("closing a connection that was silent for %.0f s", self.limits.idle_timeout_seconds)
            connection.abort()
        self._sweep_timer = loop.call_later(self.limits.sweep_interval_seconds, self._sweep)
