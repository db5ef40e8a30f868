"""Navigation and tabs."""

from __future__ import annotations

from typing import Any, Literal

from browser_pilot.errors import InvalidArgument
from browser_pilot.gateway import Scope, ToolContext
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions.navigate import WaitUntil, open_address, step
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import url_origin

from .arguments import UrlArgument
from .page_result import page_data, page_snapshot


class NavigateArguments(TabArguments):
    url: UrlArgument | None = None
    action: Literal["goto", "back", "forward", "reload"] = "goto"
    wait_until: WaitUntil | None = None
    snapshot: bool = False


def navigate_operation(arguments: NavigateArguments) -> Operation[NavigateArguments, Outcome]:
    if arguments.action == "goto":
        if arguments.url is None:
            raise InvalidArgument("`url` is missing.", suggestions=["Give the address to open."])
        return GO_TO
    if arguments.url is not None:
        raise InvalidArgument(
            f"`url` does not go with action {arguments.action!r}.", suggestions=["Leave out `action`."]
        )
    return STEP


async def go_to(context: ToolContext, arguments: NavigateArguments) -> Outcome:
    timeout_ms = context.call.timeout_ms
    return await open_address(context.action, context.url, wait_until=arguments.wait_until, timeout_ms=timeout_ms)


async def step_history(context: ToolContext, arguments: NavigateArguments) -> Outcome:
    if arguments.action == "goto":
        raise AssertionError("goto is not a step in the history")
    timeout_ms = context.call.timeout_ms
    return await step(context.action, arguments.action, wait_until=arguments.wait_until, timeout_ms=timeout_ms)


async def render_page(context: ToolContext, arguments: NavigateArguments, outcome: Outcome) -> ToolResult:
    if arguments.snapshot:
        return ToolResult({"tab": context.tab.id, **await page_snapshot(context, outcome)})
    return ToolResult({**await page_data(context.tab, outcome.title), **outcome.facts()})


GO_TO = Operation[NavigateArguments, Outcome](
    scope=Scope.TAB_OR_NEW, url=lambda arguments: arguments.url or "", execute=go_to, render=render_page
)
STEP = Operation[NavigateArguments, Outcome](execute=step_history, render=render_page)


class TabsArguments(TabArguments):
    action: Literal["list", "open", "select", "close"] = "list"
    tab: str | None = None
    url: UrlArgument | None = None


async def open_tab(context: ToolContext, _: TabsArguments) -> Outcome:
    return await open_address(context.action, context.url, timeout_ms=context.call.timeout_ms)


async def render_opened(context: ToolContext, _: TabsArguments, outcome: Outcome) -> ToolResult:
    return ToolResult({**await page_data(context.tab, outcome.title), **outcome.facts()})


async def select_tab(context: ToolContext, arguments: TabsArguments) -> Tab:
    if arguments.tab is None:
        raise InvalidArgument("`tab` is missing.", suggestions=["Name the tab to select."])
    return context.session.select(arguments.tab)


async def render_selected(context: ToolContext, _: TabsArguments, tab: Tab) -> ToolResult:
    return ToolResult(await _tab_data(context, tab))


async def _tab_data(context: ToolContext, tab: Tab) -> dict[str, object]:
    """Nothing but the origin of a page that may not be described."""
    if not context.pages.requires_approval(tab.page.url):
        return await page_data(tab)
    return {"tab": tab.id, "url": url_origin(tab.page.url), "title": "requires approval"}


async def list_tabs(_: ToolContext, __: TabsArguments) -> None:
    """Nothing to do; the list is the result."""


async def close_tab(context: ToolContext, arguments: TabsArguments) -> None:
    await context.session.close_tab(arguments.tab)


async def render_list(context: ToolContext, _: TabsArguments, __: None) -> ToolResult:
    session = context.session
    rows = [{**await _tab_data(context, tab), "current": tab.id == session.current_tab_id} for tab in session.tabs()]
    return ToolResult({"tabs": rows})


TAB_OPERATIONS: dict[str, Operation[TabsArguments, Any]] = {
    "list": Operation(effect="read", scope=Scope.SESSION, execute=list_tabs, render=render_list),
    "open": Operation(
        scope=Scope.NEW_TAB,
        url=lambda arguments: arguments.url or "about:blank",
        execute=open_tab,
        render=render_opened,
    ),
    "select": Operation(effect="read", scope=Scope.SESSION, execute=select_tab, render=render_selected),
    "close": Operation(scope=Scope.SESSION, execute=close_tab, render=render_list),
}


TOOLS = (
    Tool(
        name="browser_navigate",
        title="Open a page",
        description="Open a URL, or go back.",
        arguments=NavigateArguments,
        effect="navigate",
        profiles=EVERYWHERE,
        choose=navigate_operation,
    ),
    Tool(
        name="browser_tabs",
        title="Tabs",
        description="Manage tabs.",
        arguments=TabsArguments,
        effect="navigate",
        profiles=STANDARD,
        choose=lambda arguments: TAB_OPERATIONS[arguments.action],
    ),
)
