"""The page as rows: all of it, a part of it, or what matches a search."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import LISTED_IN_FULL, TabArguments
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.snapshot.read_at_rest import MAX_WAIT_SECONDS, read_at_rest
from browser_pilot.page.snapshot.rows import Detail, Snapshot, table
from browser_pilot.page.snapshot.search import SearchResult, search_rows
from browser_pilot.page.snapshot.snapshot import WALK_TIMEOUT_MS, SnapshotOptions, take_snapshot
from browser_pilot.page.snapshot.token_budget import Cursor, truncate
from browser_pilot.redaction.offloading import redact

from .arguments import ElementField
from .page_result import table_data

MaxTokens = Annotated[int | None, Field(ge=50, le=200_000)]
# A search covers the whole page, not only what a result could hold.
SEARCH_ROWS = 50_000
# A search without matches does not wait for a working page when less than this is left of the call's time.
MIN_REST_MS = int(MAX_WAIT_SECONDS * 1000) + 1_000


class SnapshotArguments(TabArguments):
    detail: Detail = "standard"
    element: ElementField | None = None
    boxes: Annotated[bool, Field(json_schema_extra=LISTED_IN_FULL)] = False
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
    return ToolResult(table_data(view, context.tab, max_tokens=max_tokens, cursor=arguments.cursor))


class FindArguments(TabArguments):
    query: str | None = None
    role: str | None = None
    regex: str | None = None


async def search(context: ToolContext, _: FindArguments) -> Snapshot:
    return await _whole_page(context, context.call.timeout_ms)


async def _whole_page(context: ToolContext, timeout_ms: int) -> Snapshot:
    walk_ms = max(WALK_TIMEOUT_MS, timeout_ms // 3)
    options = SnapshotOptions(max_rows=SEARCH_ROWS, walk_timeout_ms=walk_ms)
    world = context.tab.world
    return await context.tab.dialogs.run_without_dialog(lambda: take_snapshot(world, options, timeout_ms=timeout_ms))


async def render_matches(context: ToolContext, arguments: FindArguments, view: Snapshot) -> ToolResult:
    found = await _matches(context, arguments, view)
    loading: tuple[str, ...] = ()
    if not found.matches and context.remaining_ms() > MIN_REST_MS:

        async def find_again() -> bool:
            nonlocal view, found
            view = await _whole_page(context, context.remaining_ms(at_least=MIN_REST_MS))
            found = await _matches(context, arguments, view)
            return bool(found.matches)

        loading = await context.tab.dialogs.unless_opened(read_at_rest(context.tab, find_again))
    if not found.matches:
        still_loading = {"still_loading": list(loading)} if loading else {}
        return ToolResult({"matches": 0, "searched_rows": len(view.rows), **_not_searched(view), **still_loading})
    # One token a row for the mark.
    shown = truncate(found.snapshot, max_tokens=context.max_tokens - len(found.snapshot.rows))
    matching = set(found.matches)
    elements = [{"match": "*" if row["ref"] in matching else "", **row} for row in table(shown.snapshot)]
    rows_left = {"rows_left": shown.rows_left} if shown.rows_left else {}
    return ToolResult({"matches": len(found.matches), "elements": elements, **rows_left, **_not_searched(view)})


async def _matches(context: ToolContext, arguments: FindArguments, view: Snapshot) -> SearchResult:
    return await search_rows(
        view,
        query=arguments.query,
        role=arguments.role,
        regex=arguments.regex,
        redact=partial(redact, context.redactor.text),
    )


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
