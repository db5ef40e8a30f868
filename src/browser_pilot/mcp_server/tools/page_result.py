"""What tools say about a page: its address, its table, what an action changed, each within a ceiling of tokens."""

from __future__ import annotations

from dataclasses import replace

from ...pages.ceiling import cut, estimate_tokens
from ...pages.changes import Changes, cost, tables
from ...pages.dialogs import DialogAppeared
from ...pages.outcome import Outcome
from ...pages.settle import catch_up
from ...pages.tab import Tab
from ...pages.view import View, table

# What an action's answer needs besides its rows.
ENVELOPE_TOKENS = 60


async def page_data(tab: Tab, title: str | None = None) -> dict[str, object]:
    """Which page a tab shows; asks for its ``title`` where that is not known."""
    return {"tab": tab.id, "url": tab.page.url, "title": await tab.title() if title is None else title}


def table_data(view: View, *, max_tokens: int, cursor: str | None = None) -> dict[str, object]:
    """The page's table, as much as fits, and how to get the rest."""
    shown = cut(view, max_tokens=max_tokens, cursor=cursor)
    data: dict[str, object] = {"url": view.url, "title": view.title, "elements": table(shown.view)}
    if shown.left:
        data["rows_left"] = shown.left
        data["cursor"] = shown.cursor
    return data


async def action_data(tab: Tab, outcome: Outcome, *, max_tokens: int, timeout_ms: int) -> dict[str, object]:
    """What an action did: what it set off, and the rows that are new, changed or gone since the client last looked."""
    facts = outcome.facts()
    if outcome.dialog is not None or not tab.open:
        return facts
    max_tokens = max(max_tokens - ENVELOPE_TOKENS - estimate_tokens(str(facts)), ENVELOPE_TOKENS)
    try:
        if outcome.new_document:
            await tab.dialogs.unless_opened(catch_up(tab))
        news = await tab.dialogs.unless_opened(tab.sight.news(timeout_ms=timeout_ms))
    except DialogAppeared:
        return replace(outcome, dialog=tab.dialogs.facts).facts()
    if news.changes is None:
        if news.first_look and not outcome.new_document:
            return {**facts, "url": news.view.url, "title": news.view.title}
        return {"page": "new", **facts, **table_data(news.view, max_tokens=max_tokens)}
    if news.changes.empty:
        return {**facts, **_moved(outcome, news.changes), "changes": "none"}
    if cost(news.changes) > max_tokens:
        return {"page": "changed", **facts, **table_data(news.view, max_tokens=max_tokens)}
    return {**facts, **_moved(outcome, news.changes), **tables(news.changes)}


async def whole_page(tab: Tab, outcome: Outcome, *, max_tokens: int, timeout_ms: int) -> dict[str, object]:
    """What an action did, and the page after it."""
    facts = outcome.facts()
    if outcome.dialog is not None or not tab.open:
        return facts
    try:
        if outcome.new_document:
            await tab.dialogs.unless_opened(catch_up(tab))
        view = await tab.dialogs.unless_opened(tab.sight.whole(timeout_ms=timeout_ms))
    except DialogAppeared:
        return replace(outcome, dialog=tab.dialogs.facts).facts()
    return {**facts, **table_data(view, max_tokens=max_tokens)}


def _moved(outcome: Outcome, changes: Changes) -> dict[str, object]:
    return {"url": changes.url, "title": changes.title} if outcome.navigated else {}
