"""Notifies one client of changes of its resources and tools, without delay but at a limited rate.

A client of the handshake revision gets notifications on its connection, for the resources it subscribed to; a client
of the stateless revision opens streams with ``subscriptions/listen``. An event says only that something changed, so
equal events that wait to be sent are merged, which bounds the queue of a slow listener.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

ChangeEvent = ResourceUpdated | ResourcesListChanged | ToolsListChanged

# A page that logs a thousand lines a second causes ten notifications a second.
NOTIFICATION_INTERVAL_SECONDS = 0.1
MAX_STREAMS = 16


class Connection(Protocol):
    """The part of an MCP session that sends notifications."""

    async def send_resource_updated(self, uri: str) -> None: ...

    async def send_resource_list_changed(self) -> None: ...

    async def send_tool_list_changed(self) -> None: ...


class ChangeNotifier:
    """Lifecycle: created with the client's first request for a list, closed when the client disconnects."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=MAX_STREAMS)
        self._connection = ConnectionNotifier()
        self.add_listener(self._connection.on_event)
        self._waiting: dict[ChangeEvent, None] = {}
        self._publishing: asyncio.Task[None] | None = None

    def publish(self, event: ChangeEvent) -> None:
        self._waiting[event] = None
        if self._publishing is None or self._publishing.done():
            self._publishing = asyncio.create_task(self._publish_waiting())

    def set_connection(self, session: Connection) -> None:
        """Send the notifications for a client of the handshake revision on this connection."""
        self._connection.session = session

    def subscribe(self, session: Connection, uri: str) -> None:
        self.set_connection(session)
        self._connection.uris.add(uri)

    def unsubscribe(self, uri: str) -> None:
        self._connection.uris.discard(uri)

    def add_listener(self, listener: Callable[[ServerEvent], None]) -> None:
        self._bus.subscribe(listener)

    def close(self) -> None:
        self.listen.close()
        self._connection.close()
        if self._publishing is not None:
            self._publishing.cancel()

    async def _publish_waiting(self) -> None:
        while self._waiting:
            events, self._waiting = self._waiting, {}
            for event in events:
                await self._bus.publish(event)
            await asyncio.sleep(NOTIFICATION_INTERVAL_SECONDS)


class ConnectionNotifier:
    """Sends events on a connection, one after the other. A connection that blocks delays no other listener."""

    def __init__(self) -> None:
        self.session: Connection | None = None
        self.uris: set[str] = set()
        self._waiting: dict[ChangeEvent, None] = {}
        self._sending: asyncio.Task[None] | None = None

    def on_event(self, event: ServerEvent) -> None:
        is_list_change = isinstance(event, ResourcesListChanged | ToolsListChanged)
        if is_list_change or (isinstance(event, ResourceUpdated) and event.uri in self.uris):
            self._waiting[event] = None
            if self._sending is None or self._sending.done():
                self._sending = asyncio.create_task(self._send())

    def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()

    async def _send(self) -> None:
        while self._waiting and self.session is not None:
            event = next(iter(self._waiting))
            del self._waiting[event]
            if isinstance(event, ResourceUpdated):
                await self.session.send_resource_updated(event.uri)
            elif isinstance(event, ToolsListChanged):
                await self.session.send_tool_list_changed()
            else:
                await self.session.send_resource_list_changed()
