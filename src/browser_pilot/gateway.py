"""The only path to an effect: decide, then act, with a deadline.

Tools never hold a page: they say what they intend, and get the tab handed to them once the policy has allowed it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from .errors import BrowserCrashed, NoTab, PilotError, Timeout
from .pages.tab import Tab
from .policy.addresses import Address, parse_address
from .policy.effects import Effect, check_mode
from .sessions.client import Client
from .sessions.registry import SessionRegistry
from .sessions.session import Session

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Intent:
    """What a call wants to do, and for whom."""

    client: Client
    tool: str
    effect: Effect
    arguments: Mapping[str, object]
    timeout_ms: int
    session: str | None = None
    tab: str | None = None


class Gateway:
    def __init__(self, sessions: SessionRegistry) -> None:
        self._sessions = sessions

    async def on_session(self, intent: Intent, act: Callable[[Session], Awaitable[T]]) -> T:
        """Do something with the client's session: its tabs as a whole."""
        async with self._permitted(intent):
            return await act(self._sessions.find(intent.client, intent.session))

    async def on_tab(self, intent: Intent, act: Callable[[Tab], Awaitable[T]]) -> T:
        """Do something in one open tab."""
        async with self._permitted(intent):
            tab = self._sessions.find(intent.client, intent.session).tab(intent.tab)
            return await self._guarded(intent, tab, act)

    async def navigate(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address, in the named tab, the current one, or a new one when none is open."""
        address = parse_address(url)
        async with self._permitted(intent):
            tab = await self._sessions.find(intent.client, intent.session).tab_or_new(intent.tab)
            return await self._guarded(intent, tab, lambda tab: act(tab, address))

    async def open_tab(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address in a new tab."""
        address = parse_address(url)
        async with self._permitted(intent):
            tab = await self._sessions.find(intent.client, intent.session).open_tab()
            return await self._guarded(intent, tab, lambda tab: act(tab, address))

    @asynccontextmanager
    async def _permitted(self, intent: Intent):
        check_mode(intent.effect, intent.client.settings.policy.mode)
        started = time.monotonic()
        outcome = "ok"
        try:
            async with asyncio.timeout(intent.timeout_ms / 1000):
                yield
        except TimeoutError:
            outcome = Timeout.code
            raise Timeout(
                f"{intent.tool} did not finish within {intent.timeout_ms} ms.",
                suggestions=["Give a larger timeout_ms.", "Take a browser_snapshot to see the page as it is."],
                metadata={"tool": intent.tool},
            ) from None
        except PilotError as error:
            outcome = error.code
            error.metadata.setdefault("tool", intent.tool)
            raise
        finally:
            elapsed_ms = (time.monotonic() - started) * 1000
            logger.info("%s by %s: %s in %.0f ms", intent.tool, intent.client.id, outcome, elapsed_ms)

    async def _guarded(self, intent: Intent, tab: Tab, act: Callable[[Tab], Awaitable[T]]) -> T:
        try:
            return await act(tab)
        except PilotError as error:
            error.metadata.setdefault("tab", tab.id)
            session = self._sessions.find(intent.client, intent.session)
            if isinstance(error, NoTab) and await session.went_down(tab):
                raise BrowserCrashed(
                    "The browser ended unexpectedly while it worked on this; it may or may not have happened.",
                    suggestions=["Open the page again with browser_navigate: a new browser is started."],
                    metadata={"tool": intent.tool, "tab": tab.id},
                ) from error
            error.metadata.setdefault("url", tab.page.url)
            raise
