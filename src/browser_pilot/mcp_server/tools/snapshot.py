"""The page as rows: all of it, a part of it, or what matches a search."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.snapshot.rows import Detail, Snapshot
from browser_pilot.page.snapshot.search import search_rows
from browser_pilot.page.snapshot.snapshot import WALK_TIMEOUT_MS, SnapshotOptions, take_snapshot
from browser_pilot.page.snapshot.token_budget import Cursor
from browser_pilot.redaction.offloading import redact

from .arguments import ElementField
from .page_result import table_data

MaxTokens = Annotated[int | None, Field(ge=50, le=200_000)]
# A search covers the whole page, not only what a result could hold.
SEARCH_ROWS = 50_000


class SnapshotArguments(TabArguments):
    detail: Detail = "standard"
    element: ElementField | None = None
    boxes: bool = False
    max_tokens: MaxTokens = None
    cursor: str | None = None


async def snapshot(context: ToolContext, arguments: SnapshotArguments) -> Snapshot:
    return await context.tab.dialogs.run_without_dialog(lambda: _take_snapshot(context, arguments))


async def _take_snapshot(context: ToolContext, arguments: SnapshotArguments) -> Snapshot:
    tab, timeout_ms = context.tab, context.call.timeout_ms
    start = Cursor.decode(arguments.cursor) if arguments.cursor else None
    if arguments.element is None and arguments.detail == "standard" and not (arguments.boxes or start):
        return await tab.snapshots.full(timeout_ms=timeout_ms)
    target = await resolve(tab, arguments.element) if arguments.element is not None else None
    options = SnapshotOptions(
        detail=arguments.detail,
        root=(target.frame, target.ref) if target else None,
        boxes=arguments.boxes,
        start=start,
    )
    return await take_snapshot(tab.world, options, timeout_ms=timeout_ms)


async def render_snapshot(context: ToolContext, arguments: SnapshotArguments, view: Snapshot) -> ToolResult:
    max_tokens = arguments.max_tokens or context.max_tokens
    return ToolResult(table_data(view, max_tokens=max_tokens, cursor=arguments.cursor))


class FindArguments(TabArguments):
    query: str | None = None
    role: str | None = None
    regex: str | None = None


async def search(context: ToolContext, _: FindArguments) -> Snapshot:
    timeout_ms = context.call.timeout_ms
    walk_ms = max(WALK_TIMEOUT_MS, timeout_ms // 3)
    options = SnapshotOptions(max_rows=SEARCH_ROWS, walk_timeout_ms=walk_ms)
    world = context.tab.world
    return await context.tab.dialogs.run_without_dialog(lambda: take_snapshot(world, options, timeout_ms=timeout_ms))


async def render_matches(context: ToolContext, arguments: FindArguments, view: Snapshot) -> ToolResult:
    found = await search_rows(
        view,
        query=arguments.query,
        role=arguments.role,
        regex=arguments.regex,
        redact=partial(redact, context.redactor.text),
    )
    if not found.matches:
        return ToolResult({"matches": [], "searched_rows": len(view.rows), **_not_searched(view)})
    shown = table_data(found.snapshot, max_tokens=context.max_tokens)
    rows_left = {"rows_left": shown["rows_left"]} if "rows_left" in shown else {}
    matches: dict[str, object] = {"matches": list(found.matches), "elements": shown["elements"]}
    return ToolResult({**matches, **rows_left, **_not_searched(view)})


def _not_searched(view: Snapshot) -> dict[str, object]:
    return {"not_searched_rows": view.rest} if view.rest else {}


TOOLS = (
    Tool(
        name="browser_snapshot",
        title="See the page",
        description="The page as rows.",
        arguments=SnapshotArguments,
        effect="read",
        profiles=EVERYWHERE,
        operation=Operation(execute=snapshot, render=render_snapshot),
    ),
    Tool(
        name="browser_find",
        title="Find",
        description="Rows that match.",
        arguments=FindArguments,
        effect="read",
        profiles=STANDARD,
        operation=Operation(execute=search, render=render_matches),
    ),
)
