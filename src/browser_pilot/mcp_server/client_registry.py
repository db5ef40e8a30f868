"""The registry of connected clients, with the settings of each.

It does not serve requests: the transports add a client when it connects and remove it when it disconnects.
Lifecycle: one registry per hub.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from browser_pilot.config.settings import Settings, client_settings
from browser_pilot.sessions.client import Client

from .tool_registry import ToolRegistry

STDIO = "stdio"
HTTP = "http"


class ClientRegistry:
    """``changed`` is set when a client connects or disconnects, ``first_connected`` when the first one connects."""

    def __init__(
        self, settings: Settings, registry: ToolRegistry, close_client: Callable[[Client], Awaitable[None]]
    ) -> None:
        self._settings = settings
        self._registry = registry
        self._close_client = close_client
        self._clients: dict[str, Client] = {}
        self._options: dict[str, Mapping[str, Any]] = {}
        self._numbers = itertools.count(1)
        self.changed = asyncio.Event()
        self.first_connected = asyncio.Event()

    def __len__(self) -> int:
        return len(self._clients)

    def __contains__(self, client: object) -> bool:
        return isinstance(client, Client) and client.id in self._clients

    def __iter__(self) -> Iterator[Client]:
        return iter(list(self._clients.values()))

    def settings_for(self, options: Mapping[str, Any]) -> Settings:
        """The settings of a client with these options. Raises ``SettingsError`` for invalid ones."""
        settings = client_settings(self._settings, options)
        self._registry.select(settings.tools.profile)
        return settings

    def add(self, options: Mapping[str, Any], *, kind: str, identity: str | None = None) -> Client:
        """Register a new client. Its options override the settings for this client only."""
        client = Client(f"{kind}-{next(self._numbers)}", self.settings_for(options))
        client.identity = identity or client.identity
        self._clients[client.id] = client
        self._options[client.id] = options
        self.changed.set()
        self.first_connected.set()
        return client

    def apply_settings(self, settings: Settings) -> None:
        """Replace the settings; each client keeps its own options on top of them."""
        self._settings = settings
        for client in self:
            client.settings = self.settings_for(self._options[client.id])

    async def expire(self, idle_seconds: float) -> None:
        """Remove HTTP clients that were idle for this long: HTTP does not report that a client is gone."""
        now = time.monotonic()
        for client in self:
            if client.id.startswith(HTTP) and now - client.last_active > idle_seconds:
                await self.remove(client)

    async def remove(self, client: Client) -> None:
        """Remove a client and close its sessions. Does nothing if it was removed before."""
        if self._clients.pop(client.id, None) is not None:
            del self._options[client.id]
            self.changed.set()
            await self._close_client(client)
