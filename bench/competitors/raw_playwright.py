"""Raw Playwright: one browser, a context per session, ``page.click`` without a snapshot.

Only for ``bench.sessions``. It does what a program without an agent would do.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from playwright.async_api import Browser, Page, Playwright, async_playwright

from bench.rpc import TimedResult
from bench.workspace import MARKER, Workspace

from .base import Chromium, timed_result

T = TypeVar("T")


class RawPlaywright:
    name = "raw Playwright"

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._loop = asyncio.new_event_loop()
        self._browsers: dict[str, tuple[Playwright, Browser]] = {}
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def start(self, workspace: Workspace) -> RawPlaywrightSession:
        return RawPlaywrightSession(self, workspace, self.run(self._new_page(workspace)))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    async def _new_page(self, workspace: Workspace) -> Page:
        if workspace.marker not in self._browsers:
            self._browsers[workspace.marker] = await self._launch(workspace)
        return await (await self._browsers[workspace.marker][1].new_context()).new_page()

    async def close(self, workspace: Workspace, page: Page) -> None:
        """Closes the session's context; the last one closes the browser."""
        await page.context.close()
        playwright, browser = self._browsers[workspace.marker]
        if not browser.contexts:
            del self._browsers[workspace.marker]
            await browser.close()
            await playwright.stop()

    async def _launch(self, workspace: Workspace) -> tuple[Playwright, Browser]:
        os.environ[MARKER] = workspace.marker  # so that the memory of the driver's process is counted
        try:
            playwright = await async_playwright().start()
        finally:
            del os.environ[MARKER]
        browser = await playwright.chromium.launch(
            executable_path=self._chromium.executable, args=list(self._chromium.args), env=dict(workspace.environ())
        )
        return playwright, browser


class RawPlaywrightSession:
    def __init__(self, owner: RawPlaywright, workspace: Workspace, page: Page) -> None:
        self._owner = owner
        self._workspace = workspace
        self._page = page

    def navigate(self, url: str) -> TimedResult:
        began = time.perf_counter()
        self._owner.run(self._page.goto(url))
        return timed_result(began, "")

    def snapshot(self) -> TimedResult:
        began = time.perf_counter()
        return timed_result(began, self._owner.run(self._page.locator("body").aria_snapshot()))

    def find_ref(self, snapshot: str, role: str, name: str) -> str:
        return f'role={role}[name="{name}"]'

    def click(self, ref: str) -> TimedResult:
        began = time.perf_counter()
        self._owner.run(self._page.click(ref))
        return timed_result(began, "")

    def close(self) -> None:
        self._owner.run(self._owner.close(self._workspace, self._page))
