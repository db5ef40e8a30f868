"""The clients that are connected now: who they are, and how many."""

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


class ClientList:
    """Its life is the hub's. ``changed`` fires whenever a client comes or goes, ``arrived`` with the first of all."""

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
        self.arrived = asyncio.Event()

    def __len__(self) -> int:
        return len(self._clients)

    def __contains__(self, client: object) -> bool:
        return isinstance(client, Client) and client.id in self._clients

    def __iter__(self) -> Iterator[Client]:
        return iter(list(self._clients.values()))

    def settings_for(self, options: Mapping[str, Any]) -> Settings:
        """The settings of a client with these options; wrong ones raise SettingsError."""
        settings = client_settings(self._settings, options)
        self._registry.select(settings.tools.profile)
        return settings

    def join(self, options: Mapping[str, Any], *, kind: str) -> Client:
        """A new client; its options hold for it alone."""
        client = Client(f"{kind}-{next(self._numbers)}", self.settings_for(options))
        self._clients[client.id] = client
        self._options[client.id] = options
        self.changed.set()
        self.arrived.set()
        return client

    def adopt(self, settings: Settings) -> None:
        """From now on these settings hold; each client keeps its own options over them."""
        self._settings = settings
        for client in self:
            client.settings = self.settings_for(self._options[client.id])

    async def expire(self, idle_seconds: float) -> None:
        """Let go of HTTP clients that have been silent for long: they cannot be seen to leave."""
        now = time.monotonic()
        for client in self:
            if client.id.startswith(HTTP) and now - client.last_active > idle_seconds:
                await self.leave(client)

    async def leave(self, client: Client) -> None:
        if self._clients.pop(client.id, None) is not None:
            del self._options[client.id]
            self.changed.set()
            await self._close_client(client)
