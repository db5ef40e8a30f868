"""What changed among one client's resources and tools, told to whoever of it listens: at once, but never in a flood.

The client of the handshake era is told by notifications on its connection, of what it subscribed to; the client of the
2026 era opens streams with ``subscriptions/listen``. News says only that something changed, so the same news twice is
one piece of news: while it waits it is kept once, and what a listener does not take is bounded by that.
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

News = ResourceUpdated | ResourcesListChanged | ToolsListChanged

# After news, more is held back this long: a page that logs a thousand lines a second tells ten times a second.
QUIET_SECONDS = 0.1
MOST_STREAMS = 16


class Connection(Protocol):
    """As much of an MCP session as news needs."""

    async def send_resource_updated(self, uri: str) -> None: ...

    async def send_resource_list_changed(self) -> None: ...

    async def send_tool_list_changed(self) -> None: ...


class Feed:
    """Its life is its client's: made when the client first asks for resources, closed when it leaves."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=MOST_STREAMS)
        self._connection = ConnectionNews()
        self.listen_to(self._connection.take)
        self._waiting: dict[News, None] = {}
        self._telling: asyncio.Task[None] | None = None

    def tell(self, news: News) -> None:
        self._waiting[news] = None
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    def use(self, session: Connection) -> None:
        """This is the connection on which a client of the handshake era is told that the list changed."""
        self._connection.session = session

    def subscribe(self, session: Connection, uri: str) -> None:
        self.use(session)
        self._connection.uris.add(uri)

    def unsubscribe(self, uri: str) -> None:
        self._connection.uris.discard(uri)

    def listen_to(self, listener: Callable[[ServerEvent], None]) -> None:
        self._bus.subscribe(listener)

    def close(self) -> None:
        self.listen.close()
        self._connection.close()
        if self._telling is not None:
            self._telling.cancel()

    async def _tell(self) -> None:
        while self._waiting:
            news, self._waiting = self._waiting, {}
            for item in news:
                await self._bus.publish(item)
            await asyncio.sleep(QUIET_SECONDS)


class ConnectionNews:
    """Sends news on a connection, one after the other: one that is stuck holds up nobody, and its news waits once."""

    def __init__(self) -> None:
        self.session: Connection | None = None
        self.uris: set[str] = set()
        self._waiting: dict[News, None] = {}
        self._sending: asyncio.Task[None] | None = None

    def take(self, news: ServerEvent) -> None:
        is_about_lists = isinstance(news, ResourcesListChanged | ToolsListChanged)
        if is_about_lists or (isinstance(news, ResourceUpdated) and news.uri in self.uris):
            self._waiting[news] = None
            if self._sending is None or self._sending.done():
                self._sending = asyncio.create_task(self._send())

    def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()

    async def _send(self) -> None:
        while self._waiting and self.session is not None:
            news = next(iter(self._waiting))
            del self._waiting[news]
            if isinstance(news, ResourceUpdated):
                await self.session.send_resource_updated(news.uri)
            elif isinstance(news, ToolsListChanged):
                await self.session.send_tool_list_changed()
            else:
                await self.session.send_resource_list_changed()
