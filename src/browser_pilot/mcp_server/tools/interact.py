"""The only input tool of the minimal profile: click, type, hover, select, press."""

from __future__ import annotations

from typing import Literal

from browser_pilot.errors import InvalidArgument
from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import MINIMAL_ONLY, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions import forms, keyboard, mouse
from browser_pilot.page.actions.actionability_errors import actionability_error
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.resolve import Target
from browser_pilot.page.actions.target_facts import TargetSpec

from .arguments import ElementField
from .page_result import action_data, page_snapshot
from .user_input import element_timeout_ms, key_targets, press_keys


class InteractArguments(TabArguments):
    action: Literal["click", "type", "hover", "select", "press"]
    element: ElementField | None = None
    text: str | None = None
    key: str | None = None
    value: str | None = None
    snapshot: bool = False


def interact_targets(arguments: InteractArguments) -> tuple[TargetSpec, ...]:
    action, element = arguments.action, arguments.element
    if action == "press":
        return () if arguments.key is None else key_targets([arguments.key], element)
    if element is None:
        return ()
    choices = (arguments.value,) if action == "select" and arguments.value is not None else ()
    return (
        TargetSpec(element, fills=action in ("type", "select"), pointing=action in ("click", "hover"), choices=choices),
    )


async def interact(context: ToolContext, arguments: InteractArguments) -> Outcome:
    action, timeout_ms = context.action, element_timeout_ms(context)
    target = action.targets[0] if action.targets else None
    match arguments.action:
        case "click" if target is not None:
            return await mouse.click(action, target, timeout_ms=timeout_ms)
        case "hover" if target is not None:
            return await mouse.hover(action, target, timeout_ms=timeout_ms)
        case "type" if target is not None and arguments.text is not None:
            return await keyboard.type_text(action, target, arguments.text, timeout_ms=timeout_ms)
        case "select" if target is not None and arguments.value is not None:
            return await _select(action, target, arguments.value, timeout_ms)
        case "press" if arguments.key is not None:
            return await press_keys(context, [arguments.key], arguments.element)
        case kind:
            needs = {"type": "element and text", "select": "element and value", "press": "key"}.get(kind, "element")
            raise InvalidArgument(f"Action {kind!r} needs {needs}.", suggestions=[f"Give {needs}."])


async def _select(action: ActionContext, target: Target, value: str, timeout_ms: int) -> Outcome:
    outcome = await forms.select(action, target, [value], timeout_ms=timeout_ms)
    if outcome.custom_lists:
        # To choose there is several actions, each with its own authorization.
        raise actionability_error(target.description, {"error": "no select"})
    return outcome


async def render(context: ToolContext, arguments: InteractArguments, outcome: Outcome) -> ToolResult:
    page = page_snapshot if arguments.snapshot else action_data
    return ToolResult({"success": True, **await page(context, outcome)})


TOOLS = (
    Tool(
        name="browser_interact",
        title="Act on the page",
        description="Click, type, hover, select or press; `snapshot` adds the page after it.",
        arguments=InteractArguments,
        effect="write",
        profiles=MINIMAL_ONLY,
        operation=Operation(targets=interact_targets, execute=interact, render=render),
        destructive=True,
    ),
)
