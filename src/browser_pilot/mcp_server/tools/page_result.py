"""Renders what tools return about a page: its URL, its rows, and the changes after an action, within a token budget."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from browser_pilot.errors import BrowserError, NoTab, Timeout
from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_result import ToolResult, result_without_page
from browser_pilot.mcp_server.tool_schema import Arguments
from browser_pilot.page.actions.dialogs import DialogAppeared
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.wait_idle import finish_waiting
from browser_pilot.page.snapshot.diff import diff_cost, diff_tables
from browser_pilot.page.snapshot.history import SnapshotUpdate
from browser_pilot.page.snapshot.rows import Snapshot, table
from browser_pilot.page.snapshot.token_budget import estimate_tokens, truncate
from browser_pilot.page.tab import Tab

# The tokens of an action's result without its rows.
ENVELOPE_TOKENS = 60
# For the snapshot after an action that used up the call's timeout.
MIN_SNAPSHOT_MS = 4_000


async def page_data(tab: Tab, title: str | None = None) -> dict[str, object]:
    """A tab's id, URL and title; reads the title unless it is given."""
    return {"tab": tab.id, "url": tab.page.url, "title": await tab.title() if title is None else title}


def table_data(view: Snapshot, tab: Tab, *, max_tokens: int, cursor: str | None = None) -> dict[str, object]:
    """The rows of a snapshot, as many as fit, and the cursor for the rest."""
    shown = truncate(view, max_tokens=max_tokens, cursor=cursor)
    tab.snapshots.note_shown(view.document, shown.snapshot.rows)
    data: dict[str, object] = {"url": view.url, "title": view.title, "elements": table(shown.snapshot)}
    if shown.rows_left:
        data["rows_left"] = shown.rows_left
        data["cursor"] = shown.cursor
    return data


async def render_changes(context: ToolContext, _arguments: Arguments, outcome: Outcome) -> ToolResult:
    """For tools that act: the outcome and what changed on the page."""
    return ToolResult(await action_data(context, outcome))


async def action_data(context: ToolContext, outcome: Outcome) -> dict[str, object]:
    """The outcome of an action, and the rows that are new, changed or gone since the client's last snapshot."""
    return await _after_action(context, outcome, full=False)


async def page_snapshot(context: ToolContext, outcome: Outcome) -> dict[str, object]:
    """The outcome of an action, and the page after it."""
    return await _after_action(context, outcome, full=True)


async def _after_action(context: ToolContext, outcome: Outcome, *, full: bool) -> dict[str, object]:
    if context.defer is not None and not full:
        return context.defer(context, outcome)
    tab, facts = context.tab, outcome.facts()
    if outcome.dialog is not None or not tab.open:
        return facts
    timeout_ms = context.remaining_ms(at_least=MIN_SNAPSHOT_MS)
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            if outcome.new_document:
                await tab.dialogs.unless_opened(finish_waiting(tab))
            read = _page_after if full else _changes_after
            return await read(context, outcome, facts, timeout_ms)
    except DialogAppeared:
        return replace(outcome, dialog=tab.dialogs.facts).facts()
    except (TimeoutError, Timeout, BrowserError, NoTab) as error:
        if not context.call.has_effect:
            raise
        failure = error if not isinstance(error, TimeoutError) else Timeout("The page did not respond in time.")
        context.unresponsive = isinstance(failure, Timeout)
        return dict(result_without_page(failure, facts).data)


async def _page_after(
    context: ToolContext, _outcome: Outcome, facts: dict[str, object], timeout_ms: int
) -> dict[str, object]:
    tab = context.tab
    view = await tab.dialogs.unless_opened(tab.snapshots.full(timeout_ms=timeout_ms))
    return {**facts, **table_data(view, tab, max_tokens=context.max_tokens)}


async def _changes_after(
    context: ToolContext, outcome: Outcome, facts: dict[str, object], timeout_ms: int
) -> dict[str, object]:
    tab = context.tab
    max_tokens = max(context.max_tokens - ENVELOPE_TOKENS - estimate_tokens(str(facts)), ENVELOPE_TOKENS)
    update = await tab.dialogs.unless_opened(tab.snapshots.diff(timeout_ms=timeout_ms))
    if update.diff is None:
        if update.is_first and not outcome.new_document:
            return {**facts, "url": update.snapshot.url, "title": update.snapshot.title}
        return {"page": "new", **facts, **table_data(update.snapshot, tab, max_tokens=max_tokens)}
    if update.diff.is_empty:
        return {**facts, **_new_location(outcome, update), "changes": "none"}
    if diff_cost(update.diff) > max_tokens:
        return {"page": "changed", **facts, **table_data(update.snapshot, tab, max_tokens=max_tokens)}
    tables = diff_tables(update.diff, is_known=tab.snapshots.was_shown)
    shown = (*(change.row for change in update.diff.changed), *(insertion.row for insertion in update.diff.new))
    tab.snapshots.note_shown(update.diff.document, shown)
    return {**facts, **_new_location(outcome, update), **tables}


def _new_location(outcome: Outcome, update: SnapshotUpdate) -> dict[str, object]:
    page = update.snapshot
    return {"url": page.url, "title": page.title} if outcome.navigated or update.relocated else {}
