"""Base of the contexts in browsers that only agents use: managed and remote ones.

Subclasses implement whether the browser is alive, how it reaches the network, and what to release on close.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from playwright.async_api import BrowserContext, Error, Page

from .engine import StorageState

CLOSE_TIMEOUT_SECONDS = 5.0
STORAGE_STATE_TIMEOUT_SECONDS = 20.0


class AgentContext:
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
    def client_id(self) -> None:
        """None: only sessions in the user's browser share one with others."""
        return None

    @property
    def file_saver(self) -> None:
        """None: files come through the page or its context, not into the user's folder."""
        return None

    def raise_if_halted(self) -> None:
        """Never halted: the user halts only their own browser."""

    def on_lost(self, callback: Callable[[], None]) -> None:
        self._lost_callbacks.append(callback)

    async def flush_events(self) -> None:
        # A dying browser reports its pages closed before its own end; the response to a command comes after both.
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._context.cookies("http://localhost/"), CLOSE_TIMEOUT_SECONDS)

    async def bring_to_front(self, page: Page) -> None:
        await page.bring_to_front()

    async def storage_state(self) -> StorageState | None:
        try:
            async with asyncio.timeout(STORAGE_STATE_TIMEOUT_SECONDS):
                return cast("StorageState", await self._context.storage_state(indexed_db=True))
        except (Error, TimeoutError):
            return None

    async def _close_context(self) -> None:
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._context.close(), CLOSE_TIMEOUT_SECONDS)

    def _notify_lost(self) -> None:
        callbacks, self._lost_callbacks = self._lost_callbacks, []
        for callback in callbacks:
            callback()
