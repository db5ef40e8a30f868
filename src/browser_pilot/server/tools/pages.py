"""What several tools say about a page."""

from __future__ import annotations

from ...pages.outcome import Outcome
from ...pages.snapshot import take_view
from ...pages.tab import Tab


async def page_data(tab: Tab) -> dict[str, object]:
    return {"tab": tab.id, "url": tab.page.url, "title": await tab.title()}


async def outcome_data(tab: Tab, outcome: Outcome) -> dict[str, object]:
    """What an action did; a page that stands still behind a dialog is not asked for anything."""
    if outcome.dialog is not None or tab.page.is_closed():
        return {"tab": tab.id, **outcome.facts()}
    return {**await page_data(tab), **outcome.facts()}


async def snapshot_data(tab: Tab, *, timeout_ms: int) -> dict[str, object]:
    view = await take_view(tab.world, timeout_ms=timeout_ms)
    elements = [dict(zip(("ref", "role", "name", "states"), row.cells(), strict=True)) for row in view.rows]
    return {"url": view.url, "title": view.title, "elements": elements}
