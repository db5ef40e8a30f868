"""The filtering proxy that managed browsers must use: a listener on loopback, and who its sessions are.

Life: ``start`` listens; ``register`` lets a session in by its credentials and ``unregister`` ends its connections;
``close`` ends everything and leaves no socket and no task behind. Connections themselves are in ``connection``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import logging
from dataclasses import dataclass

from .connection import Connection, Session
from .gate import Gate
from .parent_proxy import ParentProxy
from .resolve import Resolutions, Resolver, look_up

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
BACKLOG = 512


@dataclass(frozen=True, slots=True)
class Limits:
    """``idle_seconds`` is how long a connection may be silent; WebSockets may be, for long."""

    connect_seconds: float = 30.0
    idle_seconds: float = 1800.0
    sweep_seconds: float = 30.0


class EgressProxy:
    def __init__(self, *, resolver: Resolver = look_up, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.resolutions = Resolutions(resolver)
        self._sessions: dict[str, Session] = {}
        self._connections: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self._address = (LOOPBACK, 0)
        self._starting = asyncio.Lock()
        self._sweeping: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def connect_seconds(self) -> float:
        return self.limits.connect_seconds

    async def start(self, host: str = LOOPBACK, port: int = 0) -> int:
        """Listen, and give the port."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), host, port, backlog=BACKLOG)
        self._address = (host, self._server.sockets[0].getsockname()[1])
        if self._sweeping is None:
            self._sweeping = loop.call_later(self.limits.sweep_seconds, self._sweep)
        return self.port

    async def keep_listening(self) -> bool:
        """Listen, where the browsers look for it, unless that is so already. False if it was. Raises ``OSError``."""
        async with self._starting:
            if self.listens:
                return False
            await self.start(*self._address)
            return True

    @property
    def port(self) -> int:
        return self._address[1]

    @property
    def listens(self) -> bool:
        return self._server is not None and self._server.is_serving()

    def register(self, key: str, secret: str, gate: Gate, *, parent: ParentProxy | None = None) -> None:
        """Let a session in: its browser context authenticates as ``key`` with ``secret``."""
        self.unregister(key)
        self._sessions[key] = Session(key, secret, gate, parent)

    def unregister(self, key: str) -> None:
        """Shut a session out and end its connections."""
        session = self._sessions.pop(key, None)
        for connection in [one for one in self._connections if one.session is session is not None]:
            connection.abort()

    async def close(self) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
            self._sweeping = None
        server, self._server = self._server, None
        if server is not None:
            server.close()
        tasks = [task for connection in list(self._connections) if (task := connection.abort()) is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.emptied()
        await self.resolutions.close()
        if server is not None:
            await server.wait_closed()

    async def emptied(self) -> None:
        """Wait until no connection is open."""
        await self._empty.wait()

    @property
    def open_connections(self) -> int:
        return len(self._connections)

    def authenticate(self, header: str | None) -> Session | None:
        scheme, _, encoded = (header or "").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            key, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        session = self._sessions.get(key)
        known = hmac.compare_digest(secret.encode(), session.secret.encode() if session else b"")
        return session if known else None

    def opened(self, connection: Connection) -> None:
        self._connections.add(connection)
        self._empty.clear()

    def closed(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if not self._connections:
            self._empty.set()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - self.limits.idle_seconds
        for connection in [one for one in self._connections if one.last_active < oldest]:
            logger.debug("closing a connection that was silent for %.0f s", self.limits.idle_seconds)
            connection.abort()
        self._sweeping = loop.call_later(self.limits.sweep_seconds, self._sweep)
