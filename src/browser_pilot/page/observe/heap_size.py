"""The heap size of a page, if the browser reports it in time."""

from __future__ import annotations

import asyncio

from playwright.async_api import Error

from browser_pilot.page.cdp import send
from browser_pilot.page.tab import Tab

RESPONSE_TIMEOUT_SECONDS = 1.0


async def heap_bytes(tab: Tab) -> float:
    """Infinite for a page that does not respond: it is busy, and the first to be unloaded."""
    try:
        async with asyncio.timeout(RESPONSE_TIMEOUT_SECONDS):
            usage = await send(await tab.world.frames.main_session(), "Runtime.getHeapUsage")
        return sum(float(usage.get(name, 0)) for name in ("totalSize", "embedderHeapUsedSize", "backingStorageSize"))
    except TimeoutError:
        return float("inf")
    except Error:
        return 0.0
