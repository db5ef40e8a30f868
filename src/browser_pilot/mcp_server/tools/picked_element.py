"""The element that the user picked in the side panel of their own Chrome."""

from __future__ import annotations

from browser_pilot.gateway import Scope, ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, CallRequest, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions.selectors import Element
from browser_pilot.page.picked_element import resolve_picked
from browser_pilot.page.tab import Tab

NOTHING = ToolResult(
    {
        "picked": False,
        "hint": "Ask the user to press “Pick an element” in the side panel of Browser Pilot, in their own Chrome.",
    }
)


class PickedArguments(TabArguments):
    pass


async def picked(request: CallRequest, arguments: PickedArguments) -> ToolResult:
    tab = arguments.tab or _picked_tab(request, arguments.session)
    if tab is None:
        return await request.run(NOTHING_PICKED, arguments)
    return await request.run(PICKED, arguments, tab=tab)


def _picked_tab(request: CallRequest, session_id: str | None) -> str | None:
    """The tab in which the user last picked an element."""
    tabs = request.gateway.sessions.find(request.client, session_id).tabs()
    return max(((tab.picked.picked_at, tab.id) for tab in tabs if tab.picked is not None), default=(0, None))[1]


async def find_element(context: ToolContext, _: PickedArguments) -> Element | None:
    return await context.tab.dialogs.run_without_dialog(lambda: _find(context.tab))


async def _find(tab: Tab) -> Element | None:
    return None if tab.picked is None else await resolve_picked(tab, tab.picked)


async def render_element(context: ToolContext, _: PickedArguments, element: Element | None) -> ToolResult:
    tab = context.tab
    if element is None or tab.picked is None:
        return NOTHING
    data: dict[str, object] = {"picked": True, "tab": tab.id, "url": tab.page.url, "ref": element.ref}
    data |= {"role": element.role, "name": element.name, "states": " ".join(element.states)}
    return ToolResult({**data, "selectors": list(tab.picked.selectors)})


async def do_nothing(_: ToolContext, __: PickedArguments) -> None:
    """Without a tab there is nothing to read."""


async def render_nothing(_: ToolContext, __: PickedArguments, ___: None) -> ToolResult:
    return NOTHING


PICKED = Operation[PickedArguments, Element | None](execute=find_element, render=render_element)
NOTHING_PICKED = Operation[PickedArguments, None](scope=Scope.SESSION, execute=do_nothing, render=render_nothing)


TOOLS = (
    Tool(
        name="browser_picked",
        title="See what the user picked",
        description="The element that the user pointed at in the side panel.",
        arguments=PickedArguments,
        effect="read",
        profiles=FULL_ONLY,
        handler=picked,
    ),
)
