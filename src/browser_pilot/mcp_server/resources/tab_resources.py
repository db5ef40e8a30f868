"""The console and the network of each open tab as resources: ``browser-pilot://tabs/t1/console``.

Reading one runs the tool of that name, so the client's tool profile and the policy apply to it as to a tool call.
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

from .resource_registry import ResourceContent, ResourceNotFound, ResourceRegistry

# Runs a tool for a client: the tool's name and arguments.
RunTool = Callable[[Client, str, dict[str, Any]], Awaitable[types.CallToolResult]]

TOOLS = {"console": "browser_console", "network": "browser_network"}
_URI = re.compile(r"browser-pilot://tabs/(t\d+)/(console|network)")


class TabResources:
    """Knows the ids of the open tabs from ``on_tab_event``; holds no tab."""

    def __init__(self, resources: ResourceRegistry, registry: ToolRegistry, run_tool: RunTool) -> None:
        self._resources = resources
        self._registry = registry
        self._run_tool = run_tool
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

    async def read(self, client: Client, uri: str) -> ResourceContent:
        found = _URI.fullmatch(uri)
        if not found or found[1] not in self._tabs.get(client, ()) or found[2] not in self._kinds(client):
            raise ResourceNotFound(uri)
        result = await self._run_tool(client, TOOLS[found[2]], {"tab": found[1]})
        text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
        if result.is_error:
            raise MCPError(types.INVALID_REQUEST, text)
        is_json = client.settings.tools.format == "json"
        return ResourceContent(text, "application/json" if is_json else "text/plain")

    def on_tab_event(self, client: Client, tab: str, event: TabEvent) -> None:
        if event in TOOLS:
            self._resources.notify_updated(client, _uri(tab, event))
            return
        tabs = self._tabs.setdefault(client, {})
        if event == "opened":
            tabs[tab] = None
        elif tabs.pop(tab, ...) is ...:
            return
        if not tabs:
            del self._tabs[client]
        self._resources.notify_list_changed(client)

    def _kinds(self, client: Client) -> Sequence[str]:
        chosen = self._registry.select(client.settings.tools.profile)
        return [kind for kind, tool in TOOLS.items() if tool in chosen]


def _uri(tab: str, kind: str) -> str:
    return f"browser-pilot://tabs/{tab}/{kind}"
