"""The console and the network of each open tab as resources: ``browser-pilot://tabs/t1/console``.

Reading one is the same as calling the tool of that name, with all its rules: what a client may not call it may not
read, and what the policy refuses is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from browser_pilot.mcp_server.tool_registry import ToolRegistry
from browser_pilot.page.tab_set import TabEvent
from browser_pilot.sessions.client import Client

from .resource_registry import Content, NoResource, Resources

# Runs a tool for a client: its name and its arguments.
Run = Callable[[Client, str, dict[str, Any]], Awaitable[types.CallToolResult]]

TOOLS = {"console": "browser_console", "network": "browser_network"}
_URI = re.compile(r"browser-pilot://tabs/(t\d+)/(console|network)")


class TabLogs:
    """Knows of the open tabs by what ``note`` is told; holds none of them."""

    def __init__(self, resources: Resources, registry: ToolRegistry, run: Run) -> None:
        self._resources = resources
        self._registry = registry
        self._run = run
        self._tabs: dict[Client, dict[str, None]] = {}

    @property
    def templates(self) -> Sequence[types.ResourceTemplate]:
        return [
            types.ResourceTemplate(name=kind, title=f"The {kind} of a tab", uri_template=_uri("{tab}", kind))
            for kind in TOOLS
        ]

    def list(self, client: Client) -> Sequence[types.Resource]:
        return [
            types.Resource(name=f"{tab} {kind}", title=f"The {kind} of tab {tab}", uri=_uri(tab, kind))
            for tab in self._tabs.get(client, ())
            for kind in self._kinds(client)
        ]

    async def read(self, client: Client, uri: str) -> Content:
        found = _URI.fullmatch(uri)
        if not found or found[1] not in self._tabs.get(client, ()) or found[2] not in self._kinds(client):
            raise NoResource(uri)
        result = await self._run(client, TOOLS[found[2]], {"tab": found[1]})
        text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
        if result.is_error:
            raise MCPError(types.INVALID_REQUEST, text)
        is_json = client.settings.tools.format == "json"
        return Content(text, "application/json" if is_json else "text/plain")

    def note(self, client: Client, tab: str, news: TabEvent) -> None:
        if news in TOOLS:
            self._resources.updated(client, _uri(tab, news))
            return
        tabs = self._tabs.setdefault(client, {})
        if news == "opened":
            tabs[tab] = None
        elif tabs.pop(tab, ...) is ...:
            return
        if not tabs:
            del self._tabs[client]
        self._resources.list_changed(client)

    def _kinds(self, client: Client) -> Sequence[str]:
        chosen = self._registry.select(client.settings.tools.profile)
        return [kind for kind, tool in TOOLS.items() if tool in chosen]


def _uri(tab: str, kind: str) -> str:
    return f"browser-pilot://tabs/{tab}/{kind}"
