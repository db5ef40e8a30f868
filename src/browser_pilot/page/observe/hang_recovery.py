"""Recovers a hung page: terminates a script that never ends, or a renderer that does not respond.

The script is terminated first, which keeps the page; where that does not help, or did not help before, the renderer
is crashed. A page with an open dialog does not hang: it waits for the dialog.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from playwright.async_api import CDPSession, Error

from browser_pilot.metrics.machine_load import load_factor
from browser_pilot.page.cdp import send
from browser_pilot.page.renderer_crash import crash_renderer
from browser_pilot.page.tab import Tab

logger = logging.getLogger(__name__)

# On an idle machine; see ``load_factor``.
RESPONSE_TIMEOUT_SECONDS = 2.0


async def end_if_hung(tab: Tab, *, script_first: bool) -> bool:
    """Returns whether the page hung. Without ``script_first`` the renderer is crashed at once."""
    if tab.dialogs.facts is not None or not tab.open:
        return False
    try:
        async with asyncio.timeout(_response_timeout_seconds()):
            # An existing CDP session: a hung page does not attach a new one.
            session = await tab.world.frames.main_session()
    except (Error, TimeoutError):
        return False
    if await _responds(session):
        return False
    if script_first:
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_response_timeout_seconds()):
                await send(session, "Runtime.terminateExecution")
        if await _responds(session):
            logger.warning("tab %s hung: its script was terminated", tab.id)
            return True
    crashed = await crash_renderer(session, tab.page)
    logger.warning("tab %s hung: its renderer was %s", tab.id, "terminated" if crashed else "not terminated")
    return True


async def _responds(session: CDPSession) -> bool:
    try:
        async with asyncio.timeout(_response_timeout_seconds()):
            await send(session, "Runtime.evaluate", expression="1")
    except (Error, TimeoutError):
        return False
    return True


def _response_timeout_seconds() -> float:
    return RESPONSE_TIMEOUT_SECONDS * load_factor()
