"""What several tools say about a page."""

from __future__ import annotations

from ...pages.snapshot import take_view
from ...pages.tab import Tab


async def page_data(tab: Tab) -> dict[str, object]:
    return {"tab": tab.id, "url": tab.page.url, "title": await tab.title()}


async def snapshot_data(tab: Tab, *, timeout_ms: int) -> dict[str, object]:
    view = await take_view(tab, timeout_ms=timeout_ms)
    elements = [{"ref": row.ref, "role": row.role, "name": row.name, "states": row.states} for row in view.rows]
    return {"url": view.url, "title": view.title, "elements": elements}
