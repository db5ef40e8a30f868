"""Waits while a page works on what it shows, for a read that did not find what it looked for.

A page that is at rest costs one call into it. What is not awaited: requests that poll, event streams, old requests, and
what changes all the time by itself, such as a clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from browser_pilot.errors import Timeout
from browser_pilot.page.isolated_world import CallInterrupted, FrameGone
from browser_pilot.page.tab import Tab

MAX_WAIT_SECONDS = 3.0
# A request that takes longer than this is not for what the page shows now.
MAX_REQUEST_AGE_SECONDS = 5.0
# The document is looked at again after this time while requests are in flight.
_STEP_SECONDS = 0.5
_CHANGING = "the page is still changing"


async def read_at_rest(tab: Tab, is_found: Callable[[], Awaitable[bool]]) -> tuple[str, ...]:
    """Read again whenever the page has worked, until ``is_found`` or it is at rest; returns what is still loading."""
    loop = asyncio.get_running_loop()
    until = loop.time() + MAX_WAIT_SECONDS
    requests = 0
    while True:
        worked, working = await _wait_in_page(
            tab, min(_STEP_SECONDS, until - loop.time()), change_expected=requests > 0
        )
        requests = tab.tracker.working(max_age_seconds=MAX_REQUEST_AGE_SECONDS)
        if not requests and not worked:
            return _loading(tab)
        if requests:
            step = min(until, loop.time() + _STEP_SECONDS)
            await tab.tracker.wait_until(
                lambda: tab.tracker.working(max_age_seconds=MAX_REQUEST_AGE_SECONDS) != requests,  # noqa: B023
                step,
            )
        if await is_found():
            return ()
        if loop.time() >= until:
            return _loading(tab) or ((_CHANGING,) if working else ())


def _loading(tab: Tab) -> tuple[str, ...]:
    return tab.tracker.loading() if tab.tracker.working() else ()


async def _wait_in_page(tab: Tab, seconds: float, *, change_expected: bool) -> tuple[bool, bool]:
    """Whether the main document worked, and whether it still does; a document that is replaced does."""
    timeout_ms = max(1, int(seconds * 1000))
    try:
        frame = await tab.world.main_frame()
        reply = await tab.world.call(
            frame, "waitAtRest", timeout_ms, change_expected, repeatable=True, timeout_ms=timeout_ms + 2_000
        )
    except (CallInterrupted, FrameGone, Timeout):
        return True, True
    report = cast("dict[str, bool]", reply)
    return report["worked"], report["working"]
