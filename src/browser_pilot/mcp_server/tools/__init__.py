"""All tools, one module per family, and their registry."""

from __future__ import annotations

from browser_pilot.mcp_server.tool_registry import ToolRegistry

from . import (
    console,
    content,
    downloads,
    evaluate,
    extract,
    interact,
    navigation,
    network,
    page_actions,
    picked_element,
    run,
    screenshot,
    session,
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
        *run.TOOLS,
        *content.TOOLS,
        *screenshot.TOOLS,
        *console.TOOLS,
        *network.TOOLS,
        *downloads.TOOLS,
        *evaluate.TOOLS,
        *extract.TOOLS,
        *storage.TOOLS,
        *picked_element.TOOLS,
        *session.TOOLS,
        *trace.TOOLS,
        *interact.TOOLS,
    ]
)
