"""Connects the extension's own pages (popup, side panel, options) to the part of the hub that serves them.

Created before the bridge. The bridge forwards requests and events to it; the side panel, which needs the bridge,
registers its handlers here. Without them every request is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from browser_pilot.errors import InvalidArgument
from browser_pilot.json_types import JsonObject

# The id of the browser that the page runs in, and the parameters. Raises PilotError to refuse.
RequestHandler: TypeAlias = Callable[[str, JsonObject], Awaitable[JsonObject]]
PresenceListener: TypeAlias = Callable[[bool], None]


@dataclass(frozen=True)
class ControlledTabState:
    """What the user sees of a tab that agents may control. ``id`` is Chrome's tab id.

    ``client_id`` identifies its agent: several may have the same name. Both are empty when no agent uses the tab.
    """

    id: int
    kind: str
    agent: str
    client_id: str
    since: float


class UiBackend:
    """Requests are authorized by their origin: only the user can open the extension's own pages.

    ``pending`` lists the pending approval requests, as the pages show them.
    """

    def __init__(self, pending: Callable[[], list[JsonObject]] = list) -> None:
        self.pending = pending
        self._handlers: dict[str, RequestHandler] = {}
        self._on_presence: list[PresenceListener] = []
        self._on_stop: list[Callable[[], None]] = []

    def register(self, handlers: Mapping[str, RequestHandler]) -> None:
        """Add handlers by the name of the request."""
        self._handlers.update(handlers)

    def on_presence(self, listener: PresenceListener) -> None:
        """Receives whether any browser is connected, so that its user can decide, whenever a connection changes."""
        self._on_presence.append(listener)

    def on_stop(self, listener: Callable[[], None]) -> None:
        """Called when the user stops all agents in a browser."""
        self._on_stop.append(listener)

    async def handle(self, browser: str, name: str, params: JsonObject) -> JsonObject:
        handler = self._handlers.get(name)
        if handler is None:
            raise InvalidArgument(f"Unknown request {name!r}.", suggestions=["Update Browser Pilot."])
        return await handler(browser, params)

    def presence_changed(self, *, connected: bool) -> None:
        for listener in self._on_presence:
            listener(connected)

    def stopped(self) -> None:
        for listener in self._on_stop:
            listener()
