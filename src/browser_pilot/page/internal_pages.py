"""Pages that we open for ourselves, to fetch or to look something up: they are nobody's tabs.

A browser tells of a new page before it answers whoever asked for it, so a page that comes while we wait for one of ours
may be that one, or a tab that the user shares just then. ``is_ours`` waits until that is known.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary, WeakSet

from playwright.async_api import BrowserContext, Page

_ours: WeakSet[Page] = WeakSet()
_awaited: WeakKeyDictionary[BrowserContext, set[asyncio.Future[None]]] = WeakKeyDictionary()


async def open_own_page(context: BrowserContext) -> Page:
    awaited = _awaited.setdefault(context, set())
    opening = asyncio.get_running_loop().create_future()
    awaited.add(opening)
    try:
        page = await context.new_page()
        _ours.add(page)
        return page
    finally:
        awaited.discard(opening)
        opening.set_result(None)


async def is_ours(page: Page) -> bool:
    """Comes back when every page that was asked for before has come, or has failed to."""
    awaited = _awaited.get(page.context)
    if awaited:
        await asyncio.wait(list(awaited))
    return page in _ours
