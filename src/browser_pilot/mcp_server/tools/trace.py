"""Playwright traces of a session."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from browser_pilot.gateway import Scope, ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments


class TraceArguments(TabArguments):
    action: Literal["start", "stop"] = "start"
    path: Annotated[str | None, Field(description="file name to save to", max_length=200)] = None


@dataclass(frozen=True)
class SavedTrace:
    path: Path
    size: int


async def trace(context: ToolContext, arguments: TraceArguments) -> SavedTrace | None:
    if arguments.action == "start":
        await context.session.start_trace()
        return None
    name = None if arguments.path is None else context.redactor.filename(arguments.path)
    path = await context.session.stop_trace(context.settings.files.trace_dir, name)
    return SavedTrace(path, (await asyncio.to_thread(path.stat)).st_size)


async def render_trace(_: ToolContext, __: TraceArguments, saved: SavedTrace | None) -> ToolResult:
    if saved is None:
        return ToolResult({"trace": "started"})
    view = f"npx playwright show-trace {saved.path}"
    return ToolResult({"path": str(saved.path), "bytes": saved.size, "view": view})


TOOLS = (
    Tool(
        name="browser_trace",
        title="Trace",
        description="Record the session as a Playwright trace file.",
        arguments=TraceArguments,
        # A trace contains what was typed and every cookie.
        effect="cookies",
        profiles=FULL_ONLY,
        operation=Operation(scope=Scope.SESSION, execute=trace, render=render_trace),
    ),
)
