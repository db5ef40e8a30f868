"""Waits for one condition on a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.selectors import Element
from browser_pilot.page.actions.wait_for import ElementState, LoadState, find_awaited, wait_for

from .arguments import ElementField
from .page_result import action_data

# The wait ends at its own timeout, with an error that names the condition; the call must not end before it.
EXTRA_TIMEOUT_MS = 1_000


class WaitArguments(TabArguments):
    text: str | None = None
    text_gone: str | None = None
    element: ElementField | None = None
    state: ElementState = "visible"
    url: str | None = None
    load: LoadState | None = None
    ms: Annotated[int | None, Field(ge=0, le=600_000)] = None


class FullWaitArguments(WaitArguments):
    """The standard profile runs no scripts."""

    function: str | None = None


def function_of(arguments: WaitArguments) -> str | None:
    return arguments.function if isinstance(arguments, FullWaitArguments) else None


async def wait(context: ToolContext, arguments: WaitArguments) -> tuple[Element, ...]:
    await wait_for(
        context.tab,
        text=arguments.text,
        text_gone=arguments.text_gone,
        element=arguments.element,
        state=arguments.state,
        url=arguments.url,
        load=arguments.load,
        function=function_of(arguments),
        ms=arguments.ms,
        timeout_ms=context.call.timeout_ms - EXTRA_TIMEOUT_MS,
        context=context.action,
    )
    return await find_awaited(context.tab, text=arguments.text, element=arguments.element, state=arguments.state)


async def render_page(context: ToolContext, _: WaitArguments, found: tuple[Element, ...]) -> ToolResult:
    elements = [
        {"ref": element.ref, "role": element.role, "name": element.name, "states": " ".join(element.states)}
        for element in found
    ]
    facts: dict[str, object] = {"found": elements} if elements else {}
    if context.defer is None and not context.tab.snapshots.has_document:
        return ToolResult({"url": context.tab.page.url, **facts})
    return ToolResult({**facts, **await action_data(context, Outcome())})


WAIT = Operation[WaitArguments, tuple[Element, ...]](
    execute=wait, render=render_page, extra_timeout_ms=EXTRA_TIMEOUT_MS
)
WAIT_FOR_FUNCTION = replace(WAIT, effect="script")


TOOLS = (
    Tool(
        name="browser_wait_for",
        title="Wait",
        description="Wait for one thing.",
        arguments=WaitArguments,
        effect="read",
        full_arguments=FullWaitArguments,
        profiles=STANDARD,
        choose=lambda arguments: WAIT if function_of(arguments) is None else WAIT_FOR_FUNCTION,
    ),
)
