"""Compares a click through the extension with one in a managed browser: `python -m bench.user_chrome`."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import BrowserContext, async_playwright

from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.launch_flags import launch_flags
from browser_pilot.page.tab import Tab
from tests.integration.user_chrome.in_process import own_engine
from tests.page.actions.acting import click

CLICKS = 40
ROUNDS = 3
MAX_RATIO = 1.6
PAGE = "<!doctype html><button id=b onclick='document.title = ++n'>Add</button><p id=p></p><script>n = 0</script>"


@asynccontextmanager
async def managed() -> AsyncGenerator[BrowserContext]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_browser(None).executable, args=launch_flags((), sandbox=False)
        )
        yield await browser.new_context()
        await browser.close()


async def clicks_ms(context: BrowserContext) -> list[float]:
    page = await context.new_page()
    await page.set_content(PAGE)
    tab = Tab("t1", page)
    await click(tab, "#b")
    durations_ms: list[float] = []
    for _ in range(CLICKS):
        began = time.perf_counter()
        await click(tab, "#b")
        durations_ms.append((time.perf_counter() - began) * 1000)
    await page.close()
    return durations_ms


async def main() -> None:
    own_ms: list[float] = []
    managed_ms: list[float] = []
    with tempfile.TemporaryDirectory(prefix="bp") as folder:
        async with own_engine(Path(folder)) as own, managed() as context:
            # The test's own CDP connection would receive every event and slow the browser down.
            if own.chrome.context.browser is not None:
                await own.chrome.context.browser.close()
            for _ in range(ROUNDS):
                managed_ms += await clicks_ms(context)
                async with own.new_context() as through_extension:
                    own_ms += await clicks_ms(through_extension)
    ratio = statistics.median(own_ms) / statistics.median(managed_ms)
    print(f"managed   {statistics.median(managed_ms):6.1f} ms")
    print(f"extension {statistics.median(own_ms):6.1f} ms, {ratio:.2f} times as long (target: at most {MAX_RATIO})")


if __name__ == "__main__":
    asyncio.run(main())
