"""Ends the renderer of a page that cannot be stopped otherwise. It works also while the page's scripts block it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from playwright.async_api import CDPSession, Error, Page

from .cdp import send

CRASH_TIMEOUT_SECONDS = 3.0


async def crash_renderer(session: CDPSession, page: Page) -> bool:
    """Returns whether the page has crashed in time."""
    crashed = asyncio.Event()
    page.once("crash", lambda _: crashed.set())
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(CRASH_TIMEOUT_SECONDS):
            # A crashed renderer sends no response.
            crashing = asyncio.ensure_future(send(session, "Page.crash"))
            crashing.add_done_callback(lambda task: task.cancelled() or task.exception())
            await crashed.wait()
    return crashed.is_set()
