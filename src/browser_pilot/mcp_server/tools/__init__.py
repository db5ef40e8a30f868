"""All tools, one module per family, and their registry."""

from __future__ import annotations

from browser_pilot.mcp_server.tool_registry import ToolRegistry

from . import (
    console,
    content,
    download,
    evaluate,
    interact,
    navigation,
    network,
    page_actions,
    picked_element,
    screenshot,
    sessions,
    snapshot,
    storage,
    trace,
    user_input,
    wait_for,
)

REGISTRY = ToolRegistry(
    [
        *navigation.TOOLS,
        *snapshot.TOOLS,
        *user_input.TOOLS,
        *page_actions.TOOLS,
        *wait_for.TOOLS,
        *content.TOOLS,
        *screenshot.TOOLS,
        *console.TOOLS,
        *network.TOOLS,
        *download.TOOLS,
        *evaluate.TOOLS,
        *storage.TOOLS,
        *picked_element.TOOLS,
        *sessions.TOOLS,
        *trace.TOOLS,
        *interact.TOOLS,
    ]
)
