"""Many tool calls in one: a list of steps, of which each passes the gateway as if called alone."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

from browser_pilot.mcp_server.runs.runner import Runner
from browser_pilot.mcp_server.runs.steps import RUN_TOOL, parse_steps
from browser_pilot.mcp_server.tool_registry import STANDARD, CallRequest, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments

from .page_result import action_data

# A run without a timeout of its own; the time that the user takes to decide is not counted.
RUN_TIMEOUT_MS = 120_000


class RunArguments(TabArguments):
    steps: Annotated[list[Any], WithJsonSchema({"type": "array", "items": {"type": ["string", "object"]}})]


async def run(request: CallRequest, arguments: RunArguments) -> ToolResult:
    steps = parse_steps(arguments.steps, request.tools, arguments)
    return await Runner(request, steps, arguments.timeout_ms or RUN_TIMEOUT_MS, action_data).run()


TOOLS = (
    Tool(
        name=RUN_TOOL,
        title="Run steps",
        description='Calls in one: ["click e12", {"type": {…}}]; "$1.ref" is of step 1\'s result.',
        arguments=RunArguments,
        effect="write",
        profiles=STANDARD,
        handler=run,
        destructive=True,
    ),
)
