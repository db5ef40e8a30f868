"""Runs a script in a page."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions.evaluate import EvaluationResult, evaluate
from browser_pilot.page.actions.target_facts import TargetSpec

from .arguments import ElementField
from .page_result import action_data


class EvaluateArguments(TabArguments):
    expression: Annotated[str, Field(min_length=1)]
    element: ElementField | None = None


def script_targets(arguments: EvaluateArguments) -> tuple[TargetSpec, ...]:
    """The element, so that the site of its frame is authorized: the script runs there."""
    return () if arguments.element is None else (TargetSpec(arguments.element),)


async def run_script(context: ToolContext, arguments: EvaluateArguments) -> EvaluationResult:
    timeout_ms = context.call.timeout_ms
    target = None if arguments.element is None else context.action.targets[0]
    return await evaluate(context.action, arguments.expression, target, timeout_ms=timeout_ms)


async def render_value(context: ToolContext, _: EvaluateArguments, evaluated: EvaluationResult) -> ToolResult:
    data: dict[str, object] = {"result": evaluated.json, "result_length": evaluated.full_length}
    if evaluated.full_length <= len(evaluated.json):
        data = {"result": json.loads(evaluated.json)}
    if not (context.tab.snapshots.has_document or evaluated.outcome.new_document):
        # A client without a snapshot of the page needs only the value: it has nothing to compare changes with.
        return ToolResult({**data, **evaluated.outcome.facts()})
    return ToolResult({**data, **await action_data(context, evaluated.outcome)})


TOOLS = (
    Tool(
        name="browser_evaluate",
        title="Run a script",
        description="The value of a JavaScript expression or function.",
        arguments=EvaluateArguments,
        effect="script",
        profiles=FULL_ONLY,
        operation=Operation(targets=script_targets, execute=run_script, render=render_value),
        destructive=True,
    ),
)
