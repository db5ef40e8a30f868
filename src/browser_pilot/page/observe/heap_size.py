"""How much memory a page has on its heap, as far as the browser tells in time."""

from __future__ import annotations

import asyncio

from playwright.async_api import Error

from .cdp import send
from .tab import Tab

ANSWER_SECONDS = 1.0


async def heap_bytes(tab: Tab) -> float:
    """A page that does not answer counts as heavy: whatever it does, it does much of it."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            usage = await send(await tab.world.frames.main_session(), "Runtime.getHeapUsage")
        return sum(float(usage.get(name, 0)) for name in ("totalSize", "embedderHeapUsedSize", "backingStorageSize"))
    except TimeoutError:
        return float("inf")
    except Error:
        return 0.0
