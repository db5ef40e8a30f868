"""What the contexts of browsers that nobody but agents uses have in common, whoever runs the browser.

What differs is left to each: whether the browser lives, the way to the network, and what closing gives back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from playwright.async_api import BrowserContext, Error, Page

from .engine import StorageState

CLOSE_SECONDS = 5.0
STATE_SECONDS = 20.0


class AgentsContext:
    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._lost_callbacks: list[Callable[[], None]] = []

    @property
    def context(self) -> BrowserContext:
        return self._context

    @property
    def exclusive(self) -> bool:
        return False

    @property
    def saver(self) -> None:
        """Files come through the page or its context: no folder of the user is there."""
        return None

    def check(self) -> None:
        """Nobody halts such a browser."""

    def on_lost(self, callback: Callable[[], None]) -> None:
        self._lost_callbacks.append(callback)

    async def settle(self) -> None:
        # A dying browser reports its pages closed first; the answer to any question comes after its own end.
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._context.cookies("http://localhost/"), CLOSE_SECONDS)

    async def show(self, page: Page) -> None:
        await page.bring_to_front()

    async def storage_state(self) -> StorageState | None:
        try:
            async with asyncio.timeout(STATE_SECONDS):
                return cast("StorageState", await self._context.storage_state(indexed_db=True))
        except (Error, TimeoutError):
            return None

    async def _close_context(self) -> None:
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._context.close(), CLOSE_SECONDS)

    def _tell_lost(self) -> None:
        callbacks, self._lost_callbacks = self._lost_callbacks, []
        for callback in callbacks:
            callback()
