"""Internal pages: opened for downloads and hidden tabs, and not part of a session's tabs.

Playwright emits ``page`` before ``new_page`` returns. A page that appears in between may be internal, or a tab that the
user has just shared: ``is_internal`` waits until that is known. State: weak references to pages and contexts.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary, WeakSet

from playwright.async_api import BrowserContext, Page

_internal_pages: WeakSet[Page] = WeakSet()
_opening: WeakKeyDictionary[BrowserContext, set[asyncio.Future[None]]] = WeakKeyDictionary()


async def open_internal_page(context: BrowserContext) -> Page:
    pending = _opening.setdefault(context, set())
    opened = asyncio.get_running_loop().create_future()
    pending.add(opened)
    try:
        page = await context.new_page()
        _internal_pages.add(page)
        return page
    finally:
        pending.discard(opened)
        opened.set_result(None)


async def is_internal(page: Page) -> bool:
    """Waits until the internal pages that are being opened exist, or have failed to open."""
    pending = _opening.get(page.context)
    if pending:
        await asyncio.wait(list(pending))
    return page in _internal_pages
