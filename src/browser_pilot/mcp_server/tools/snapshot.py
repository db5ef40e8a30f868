"""Looking at a page as rows: all of it, a part of it, or what matches a search."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...pages.ceiling import Cursor
from ...pages.find import find
from ...pages.snapshot import WALK_LIMIT_MS, take_view
from ...pages.tab import Tab
from ...pages.targets import find as find_target
from ...pages.view import Detail, View
from ..answers import Answer
from ..registry import EVERYWHERE, STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import table_data

MaxTokens = Annotated[int | None, Field(ge=50, le=200_000)]
# A search looks through all of a page, not only what an answer could hold.
SEARCH_ROWS = 50_000


class SnapshotArguments(TabArguments):
    detail: Detail = "standard"
    element: Element | None = None
    boxes: bool = False
    max_tokens: MaxTokens = None
    cursor: str | None = None


async def snapshot(call: Call, arguments: SnapshotArguments) -> Answer:
    intent = call.intent(arguments)
    max_tokens = arguments.max_tokens or call.client.settings.tools.max_tokens

    async def look(tab: Tab) -> Answer:
        goes_on = Cursor.decode(arguments.cursor) if arguments.cursor else None
        if arguments.element is None and arguments.detail == "standard" and not (arguments.boxes or goes_on):
            view = await tab.sight.whole(timeout_ms=intent.timeout_ms)
        else:
            target = await find_target(tab, arguments.element) if arguments.element is not None else None
            view = await take_view(
                tab.world,
                detail=arguments.detail,
                root=(target.frame, target.ref) if target else None,
                boxes=arguments.boxes,
                start=goes_on,
                timeout_ms=intent.timeout_ms,
            )
        return Answer(table_data(view, max_tokens=max_tokens, cursor=arguments.cursor))

    return await call.gateway.on_tab(intent, lambda tab: tab.dialogs.undisturbed(lambda: look(tab)))


class FindArguments(TabArguments):
    query: str | None = None
    role: str | None = None
    regex: str | None = None


async def search(call: Call, arguments: FindArguments) -> Answer:
    intent = call.intent(arguments)

    async def look(tab: Tab) -> Answer:
        walk_ms = max(WALK_LIMIT_MS, intent.timeout_ms // 3)
        view = await take_view(tab.world, limit=SEARCH_ROWS, walk_ms=walk_ms, timeout_ms=intent.timeout_ms)
        found = find(view, query=arguments.query, role=arguments.role, regex=arguments.regex)
        if not found.matches:
            return Answer({"matches": [], "searched_rows": len(view.rows), **_unsearched(view)})
        shown = table_data(found.view, max_tokens=call.client.settings.tools.max_tokens)
        told = {"matches": list(found.matches), "elements": shown["elements"], **_left(shown)}
        return Answer({**told, **_unsearched(view)})

    return await call.gateway.on_tab(intent, lambda tab: tab.dialogs.undisturbed(lambda: look(tab)))


def _unsearched(view: View) -> dict[str, object]:
    return {"not_searched_rows": view.rest} if view.rest else {}


def _left(shown: dict[str, object]) -> dict[str, object]:
    return {"rows_left": shown["rows_left"]} if "rows_left" in shown else {}


TOOLS = (
    Tool(
        name="browser_snapshot",
        title="See the page",
        description="The page as rows of ref, role, name, states.",
        arguments=SnapshotArguments,
        effect="read",
        profiles=EVERYWHERE,
        handler=snapshot,
    ),
    Tool(
        name="browser_find",
        title="Search the page",
        description="Rows that match a text, role or regex.",
        arguments=FindArguments,
        effect="read",
        profiles=STANDARD,
        handler=search,
    ),
)
