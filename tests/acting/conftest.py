"""A tab in a real Chromium, and a site of awkward pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest_asyncio
from playwright.async_api import Page

from browser_pilot.pages.tab import Tab

from ..pages.conftest import browser as browser
from ..pages.conftest import context as context
from ..pages.conftest import page as page
from .site import Site, serve_site

Show = Callable[[str], Awaitable[Tab]]


@pytest_asyncio.fixture(loop_scope="session")
async def site() -> AsyncIterator[Site]:
    async with serve_site() as site:
        yield site


@pytest_asyncio.fixture(loop_scope="session")
async def tab(page: Page) -> Tab:
    return Tab("t1", page)


@pytest_asyncio.fixture(loop_scope="session")
async def show(tab: Tab, site: Site) -> Show:
    """Show a page made of some HTML."""

    async def show_page(html: str) -> Tab:
        await tab.page.goto(site.add("page", html), wait_until="domcontentloaded")
        return tab

    return show_page
