"""Recovers a hung page: terminates a script that never ends, or a renderer that does not respond.

The script is terminated first, which keeps the page; where that does not help, or did not help before, the renderer
is crashed. A page with an open dialog does not hang: it waits for the dialog.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from playwright.async_api import CDPSession, Error

from browser_pilot.page.cdp import send
from browser_pilot.page.tab import Tab

logger = logging.getLogger(__name__)

RESPONSE_TIMEOUT_SECONDS = 2.0
CRASH_TIMEOUT_SECONDS = 3.0


async def end_if_hung(tab: Tab, *, script_first: bool) -> bool:
    """Returns whether the page hung. Without ``script_first`` the renderer is crashed at once."""
    if tab.dialogs.facts is not None or not tab.open:
        return False
    try:
        async with asyncio.timeout(RESPONSE_TIMEOUT_SECONDS):
            # An existing CDP session: a hung page does not attach a new one.
            session = await tab.world.frames.main_session()
    except (Error, TimeoutError):
        return False
    if await _responds(session):
        return False
    if script_first:
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(RESPONSE_TIMEOUT_SECONDS):
                await send(session, "Runtime.terminateExecution")
        if await _responds(session):
            logger.warning("tab %s hung: its script was terminated", tab.id)
            return True
    await _crash_renderer(session, tab)
    return True


async def _responds(session: CDPSession) -> bool:
    try:
        async with asyncio.timeout(RESPONSE_TIMEOUT_SECONDS):
            await send(session, "Runtime.evaluate", expression="1")
    except (Error, TimeoutError):
        return False
    return True


async def _crash_renderer(session: CDPSession, tab: Tab) -> None:
    crashed = asyncio.Event()
    tab.page.once("crash", lambda _: crashed.set())
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(CRASH_TIMEOUT_SECONDS):
            # A crashed renderer sends no response.
            crashing = asyncio.ensure_future(send(session, "Page.crash"))
            crashing.add_done_callback(lambda task: task.cancelled() or task.exception())
            await crashed.wait()
    logger.warning("tab %s hung: its renderer was %s", tab.id, "terminated" if crashed.is_set() else "not terminated")
