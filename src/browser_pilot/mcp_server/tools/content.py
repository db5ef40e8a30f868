"""Reading a page's content, and its DOM as an indexed tree."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...pages.dom import DEFAULT_MAX_NODES, take_tree
from ...pages.frames import Frame
from ...pages.read import Format, Scope, read_page
from ...pages.tab import Tab
from ...pages.targets import ElementArgument, find
from ..answers import Answer
from ..registry import FULL_ONLY, STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .looking import MaxTokens


class ReadArguments(TabArguments):
    element: Element | None = None
    format: Format = "markdown"
    scope: Scope = "article"
    max_tokens: MaxTokens = None
    cursor: str | None = None


async def read(call: Call, arguments: ReadArguments) -> Answer:
    intent = call.intent(arguments)

    async def look(tab: Tab) -> Answer:
        reading = await read_page(
            tab.world,
            format=arguments.format,
            scope=arguments.scope,
            root=await _root(tab, arguments.element),
            max_tokens=arguments.max_tokens or call.client.settings.tools.max_tokens,
            cursor=arguments.cursor,
            timeout_ms=intent.timeout_ms,
        )
        data: dict[str, object] = {"url": reading.url, "title": reading.title, "scope": reading.scope}
        if reading.note:
            data["note"] = reading.note
        if reading.cursor is not None:
            data["tokens_left"], data["cursor"] = reading.left_tokens, reading.cursor
        return Answer(data, text=reading.text)

    return await call.gateway.on_tab(intent, lambda tab: tab.dialogs.undisturbed(lambda: look(tab)))


class DomArguments(TabArguments):
    max_nodes: Annotated[int, Field(ge=1, le=20_000)] = DEFAULT_MAX_NODES
    element: Element | None = None


async def dom(call: Call, arguments: DomArguments) -> Answer:
    intent = call.intent(arguments)

    async def look(tab: Tab) -> Answer:
        tree = await take_tree(
            tab.world,
            max_nodes=arguments.max_nodes,
            root=await _root(tab, arguments.element),
            timeout_ms=intent.timeout_ms,
        )
        data: dict[str, object] = {"url": tab.page.url, "nodes": len(tree.nodes)}
        if tree.left:
            data["nodes_left"] = tree.left
        return Answer(data, text="\n".join(tree.lines()))

    return await call.gateway.on_tab(intent, lambda tab: tab.dialogs.undisturbed(lambda: look(tab)))


async def _root(tab: Tab, element: ElementArgument | None) -> tuple[Frame, str] | None:
    if element is None:
        return None
    target = await find(tab, element)
    return target.frame, target.ref


TOOLS = (
    Tool(
        name="browser_read",
        title="Read the page",
        description="The page's content as Markdown.",
        arguments=ReadArguments,
        effect="read",
        profiles=STANDARD,
        handler=read,
    ),
    Tool(
        name="browser_dom",
        title="See the DOM",
        description='The DOM as an indexed tree with boxes; {"index": 3} then names an element.',
        arguments=DomArguments,
        effect="read",
        profiles=FULL_ONLY,
        handler=dom,
    ),
)
