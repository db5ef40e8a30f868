"""Raw Playwright: one browser, a context for each session, its own click and nothing said about the page.

Only for sessions side by side; it does what a program would do that drives Playwright by itself, without an agent.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from playwright.async_api import Browser, Page, Playwright, async_playwright

from ..processes import MARK, Den
from ..rpc import Answer
from .base import Chromium, timed

T = TypeVar("T")


class RawPlaywright:
    name = "raw Playwright"

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._loop = asyncio.new_event_loop()
        self._browsers: dict[str, tuple[Playwright, Browser]] = {}
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def start(self, den: Den) -> RawPlaywrightSession:
        return RawPlaywrightSession(self, den, self.run(self._new_page(den)))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    async def _new_page(self, den: Den) -> Page:
        if den.mark not in self._browsers:
            self._browsers[den.mark] = await self._launch(den)
        return await (await self._browsers[den.mark][1].new_context()).new_page()

    async def close(self, den: Den, page: Page) -> None:
        """The last one ends the browser."""
        await page.context.close()
        playwright, browser = self._browsers[den.mark]
        if not browser.contexts:
            del self._browsers[den.mark]
            await browser.close()
            await playwright.stop()

    async def _launch(self, den: Den) -> tuple[Playwright, Browser]:
        os.environ[MARK] = den.mark  # the driver's process takes part in the weighing
        try:
            playwright = await async_playwright().start()
        finally:
            del os.environ[MARK]
        browser = await playwright.chromium.launch(
            executable_path=self._chromium.executable, args=list(self._chromium.args), env=dict(den.environ())
        )
        return playwright, browser


class RawPlaywrightSession:
    def __init__(self, owner: RawPlaywright, den: Den, page: Page) -> None:
        self._owner = owner
        self._den = den
        self._page = page

    def navigate(self, url: str) -> Answer:
        began = time.perf_counter()
        self._owner.run(self._page.goto(url))
        return timed(began, "")

    def snapshot(self) -> Answer:
        began = time.perf_counter()
        return timed(began, self._owner.run(self._page.locator("body").aria_snapshot()))

    def handle_of(self, snapshot: str, role: str, name: str) -> str:
        return f'role={role}[name="{name}"]'

    def click(self, handle: str) -> Answer:
        began = time.perf_counter()
        self._owner.run(self._page.click(handle))
        return timed(began, "")

    def close(self) -> None:
        self._owner.run(self._owner.close(self._den, self._page))
