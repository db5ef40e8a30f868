"""Tells clients that the list of tools has changed: handshake clients by notification, others by their subscription."""

from __future__ import annotations

import logging
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

logger = logging.getLogger(__name__)

STATELESS = "2026"


class Announcer:
    """Its life is the hub's. Whoever has asked for the list is told when it changes, until it leaves."""

    def __init__(self) -> None:
        self._sessions: dict[str, ServerSession] = {}
        self._bus = InMemorySubscriptionBus()

    @property
    def listen(self) -> ListenHandler:
        return ListenHandler(self._bus)

    def note(self, client: str, context: ServerRequestContext[Any, Any]) -> None:
        if context.protocol_version < STATELESS:
            self._sessions[client] = context.session

    def forget(self, client: str) -> None:
        self._sessions.pop(client, None)

    async def tools_changed(self) -> None:
        await self._bus.publish(ToolsListChanged())
        for client, session in list(self._sessions.items()):
            try:
                await session.send_tool_list_changed()
            except (MCPError, OSError, RuntimeError) as error:
                logger.debug("a client could not be told of the new tools: %r", error)
                self.forget(client)
