"""Remote browsers are released whatever interrupts the close of their session."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from playwright.async_api import Browser, BrowserContext

from browser_pilot.egress import SessionAccessPolicy
from browser_pilot.engines.remote import RemoteContext
from browser_pilot.policy.rules import Ruleset


class FakeBrowser:
    """Serves as the browser and as its context."""

    def on(self, event: str, callback: object) -> None:
        pass

    async def close(self) -> None:
        pass


async def test_a_browser_is_released_although_the_close_of_its_session_is_cancelled() -> None:
    """The hub cancels requests that take too long when it ends."""
    started, may_finish, released = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def release() -> None:
        started.set()
        await may_finish.wait()
        released.set()

    def start_release() -> asyncio.Task[object]:
        return asyncio.get_running_loop().create_task(release())

    fake = FakeBrowser()
    context = RemoteContext(
        cast("Browser", fake),
        cast("BrowserContext", fake),
        SessionAccessPolicy(Ruleset, session_domains=None),
        start_release,
    )
    closing = asyncio.create_task(context.close())
    await started.wait()
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    may_finish.set()
    async with asyncio.timeout(10):
        await released.wait()
