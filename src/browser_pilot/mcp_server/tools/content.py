"""The page's content as text, and its DOM as an indexed tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import LISTED_IN_FULL, TabArguments
from browser_pilot.page.actions.resolve import ElementArgument, resolve
from browser_pilot.page.frames import Frame
from browser_pilot.page.snapshot.content import TOKENS_OF_FIELDS, Format, PageContent, Scope, read_content
from browser_pilot.page.snapshot.dom_tree import DEFAULT_MAX_NODES, MAX_NODES, DomTree, take_dom_tree
from browser_pilot.page.snapshot.offloading import fitting_length_of
from browser_pilot.page.tab import Tab

from .arguments import ElementField
from .snapshot import MaxTokens


class ReadArguments(TabArguments):
    element: ElementField | None = None
    format: Format = "markdown"
    scope: Scope = "article"
    concealed: Annotated[bool, Field(json_schema_extra=LISTED_IN_FULL)] = False
    max_tokens: MaxTokens = None
    cursor: str | None = None


async def read(context: ToolContext, arguments: ReadArguments) -> PageContent:
    return await context.tab.dialogs.run_without_dialog(lambda: _read(context, arguments))


async def _read(context: ToolContext, arguments: ReadArguments) -> PageContent:
    return await read_content(
        context.tab.world,
        format=arguments.format,
        scope=arguments.scope,
        concealed=arguments.concealed,
        root=await _root(context.tab, arguments.element),
        max_tokens=arguments.max_tokens or context.max_tokens,
        cursor=arguments.cursor,
        timeout_ms=context.call.timeout_ms,
    )


async def render_content(_: ToolContext, __: ReadArguments, reading: PageContent) -> ToolResult:
    data: dict[str, object] = {"url": reading.url, "title": reading.title, "scope": reading.scope}
    if reading.note:
        data["note"] = reading.note
    if reading.concealed_texts:
        texts = f"{reading.concealed_texts} text{'' if reading.concealed_texts == 1 else 's'}"
        left_out = f"{texts} ({reading.concealed_characters} characters) that nobody can see left out"
        data["concealed"] = f"{left_out}; `concealed` includes them"
    if reading.cursor is not None:
        data["tokens_left"], data["cursor"] = reading.tokens_left, reading.cursor
    return ToolResult(data, page_text=reading.text)


class DomArguments(TabArguments):
    max_nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] = DEFAULT_MAX_NODES
    element: ElementField | None = None
    max_tokens: MaxTokens = None
    cursor: Annotated[int | None, Field(ge=0, le=MAX_NODES)] = None


@dataclass(frozen=True, slots=True)
class DomPage:
    """The lines of a tree from ``start`` on. ``moved``: the tree before it is not the one that the client has."""

    tree: DomTree
    start: int
    moved: bool


async def dom(context: ToolContext, arguments: DomArguments) -> DomPage:
    return await context.tab.dialogs.run_without_dialog(lambda: _dom(context, arguments))


async def _dom(context: ToolContext, arguments: DomArguments) -> DomPage:
    root = await _root(context.tab, arguments.element)
    start = arguments.cursor or 0
    world = context.tab.world
    before = world.tree
    tree = await take_dom_tree(
        world, max_nodes=min(start + arguments.max_nodes, MAX_NODES), root=root, timeout_ms=context.call.timeout_ms
    )
    return DomPage(tree, start, moved=start > 0 and not tree.starts_like(before, start))


async def render_tree(context: ToolContext, arguments: DomArguments, page: DomPage) -> ToolResult:
    lines = page.tree.lines()[page.start :]
    budget = (arguments.max_tokens or context.max_tokens) - TOKENS_OF_FIELDS
    text = "\n".join(lines)
    fitting = await fitting_length_of(text, max(budget, 1))
    shown = len(lines) if fitting == len(text) else max(1, text[:fitting].count("\n"))
    end = page.start + shown
    left = len(lines) - shown + page.tree.nodes_left
    data: dict[str, object] = {"url": context.tab.page.url, "nodes": shown if lines else 0}
    if left:
        data["nodes_left"] = left
    if left and end < MAX_NODES:
        data["cursor"] = end
    if page.moved:
        data["note"] = "The page has changed: indices of earlier answers may name other elements now."
    return ToolResult(data, page_text="\n".join(lines[:shown]))


async def _root(tab: Tab, element: ElementArgument | None) -> tuple[Frame, str] | None:
    if element is None:
        return None
    target = await resolve(tab, element)
    return target.frame, target.ref


TOOLS = (
    Tool(
        name="browser_read",
        title="Read the page",
        description="The page's content as Markdown.",
        arguments=ReadArguments,
        effect="read",
        profiles=STANDARD,
        operation=Operation(execute=read, render=render_content),
    ),
    Tool(
        name="browser_dom",
        title="See the DOM",
        description='The DOM as an indexed tree with boxes; {"index": 3} then names an element.',
        arguments=DomArguments,
        effect="read",
        profiles=FULL_ONLY,
        operation=Operation(execute=dom, render=render_tree),
    ),
)
