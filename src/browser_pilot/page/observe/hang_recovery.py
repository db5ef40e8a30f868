"""Ends what hangs: a page whose script never comes to an end, or a renderer that answers nothing any more.

First the script is ended, which leaves the page as it is; where that does not help, or did not help before, its
renderer is. A page with a dialog open does not hang: it waits for an answer.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from playwright.async_api import CDPSession, Error

from .cdp import send
from .tab import Tab

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 2.0
CRASH_SECONDS = 3.0


async def end_if_hung(tab: Tab, *, leniently: bool) -> bool:
    """Whether the page hung. With ``leniently`` off its renderer is ended without trying to end the script."""
    if tab.dialogs.facts is not None or not tab.open:
        return False
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            # One that the page knew before it hung: it would not take note of another.
            session = await tab.world.frames.main_session()
    except (Error, TimeoutError):
        return False
    if await _answers(session):
        return False
    if leniently:
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                await send(session, "Runtime.terminateExecution")
        if await _answers(session):
            logger.warning("tab %s hung: its script was ended", tab.id)
            return True
    await _end_renderer(session, tab)
    return True


async def _answers(session: CDPSession) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await send(session, "Runtime.evaluate", expression="1")
    except (Error, TimeoutError):
        return False
    return True


async def _end_renderer(session: CDPSession, tab: Tab) -> None:
    crashed = asyncio.Event()
    tab.page.once("crash", lambda _: crashed.set())
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(CRASH_SECONDS):
            # There is no answer from a renderer that is gone.
            crashing = asyncio.ensure_future(send(session, "Page.crash"))
            crashing.add_done_callback(lambda task: task.cancelled() or task.exception())
            await crashed.wait()
    logger.warning("tab %s hung: its renderer was %s", tab.id, "ended" if crashed.is_set() else "left alone")
