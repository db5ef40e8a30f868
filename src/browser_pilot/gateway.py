"""The only path to an effect: decide, ask where a person must be asked, then act, with a deadline.

Tools never hold a page: they say what they intend, and get the tab handed to them once the policy has allowed it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from .approvals import words
from .approvals.clearance import Asker, Clearance, Cleared, Sight
from .approvals.questions import digest
from .approvals.queue import Door
from .errors import BrowserCrashed, NoTab, PilotError, Timeout
from .pages.tab import Tab
from .policy.decide import Request
from .policy.hosts import BLANK, Address, Site, page_site, parse_address
from .policy.vocabulary import Effect
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
    doors: tuple[Door, ...] = ()


class Gateway:
    def __init__(self, sessions: SessionRegistry, clearance: Clearance) -> None:
        self._sessions = sessions
        self._clearance = clearance

    async def on_session(self, intent: Intent, act: Callable[[Session], Awaitable[T]]) -> T:
        """Do something with the client's session: its tabs as a whole."""
        with _reported(intent):
            session = self._sessions.find(intent.client, intent.session)
            await session.ready()
            async with self._permitted(intent, session, lambda: BLANK):
                return await act(session)

    async def on_tab(self, intent: Intent, act: Callable[[Tab], Awaitable[T]]) -> T:
        """Do something in one open tab."""
        with _reported(intent):
            session = self._sessions.find(intent.client, intent.session)
            await session.ready()
            tab = session.tab(intent.tab)
            async with self._permitted(intent, session, lambda: page_site(tab.page.url)):
                return await self._guarded(intent, tab, act)

    async def navigate(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address, in the named tab, the current one, or a new one when none is open."""
        with _reported(intent):
            address = parse_address(url)
            session = self._sessions.find(intent.client, intent.session)
            async with self._permitted(intent, session, lambda: page_site(address.href), url=address.href):
                tab = await session.tab_or_new(intent.tab)
                return await self._guarded(intent, tab, lambda tab: act(tab, address))

    async def open_tab(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address in a new tab."""
        with _reported(intent):
            address = parse_address(url)
            session = self._sessions.find(intent.client, intent.session)
            async with self._permitted(intent, session, lambda: page_site(address.href), url=address.href):
                tab = await session.open_tab()
                return await self._guarded(intent, tab, lambda tab: act(tab, address))

    @asynccontextmanager
    async def _permitted(
        self, intent: Intent, session: Session, site: Callable[[], Site | None], *, url: str = ""
    ) -> AsyncGenerator[Cleared]:
        """Inside, it may be done, within the call's time. What a person takes to answer does not count."""

        async def look() -> Sight:
            return _sight(intent, session, site(), url)

        cleared = await self._clearance.obtain(_asker(intent, session), look)
        try:
            async with asyncio.timeout(intent.timeout_ms / 1000):
                yield cleared
        except TimeoutError:
            raise Timeout(
                f"{intent.tool} did not finish within {intent.timeout_ms} ms.",
                suggestions=["Give a larger timeout_ms.", "Take a browser_snapshot to see the page as it is."],
            ) from None

    async def _guarded(self, intent: Intent, tab: Tab, act: Callable[[Tab], Awaitable[T]]) -> T:
        session = self._sessions.find(intent.client, intent.session)
        try:
            result = await act(tab)
        except PilotError as error:
            if isinstance(error, NoTab) and await session.went_down(tab):
                raise _crashed(intent, tab) from error
            error.metadata.setdefault("tab", tab.id)
            error.metadata.setdefault("url", tab.page.url)
            raise
        # A page that closes itself is no failure; one that went down with its browser is, whatever it seemed to do.
        if not tab.open and await session.went_down(tab):
            raise _crashed(intent, tab)
        return result


def _crashed(intent: Intent, tab: Tab) -> BrowserCrashed:
    return BrowserCrashed(
        "The browser ended unexpectedly while it worked on this; it may or may not have happened.",
        suggestions=["Open the page again with browser_navigate: a new browser is started."],
        metadata={"tool": intent.tool, "tab": tab.id},
    )


@contextmanager
def _reported(intent: Intent) -> Generator[None]:
    """Names the tool in errors, and writes down how the call went."""
    started = time.monotonic()
    outcome = "ended"
    try:
        yield
        outcome = "ok"
    except PilotError as error:
        outcome = error.code
        error.metadata.setdefault("tool", intent.tool)
        raise
    finally:
        elapsed_ms = (time.monotonic() - started) * 1000
        logger.info("%s by %s: %s in %.0f ms", intent.tool, intent.client.id, outcome, elapsed_ms)


def _asker(intent: Intent, session: Session) -> Asker:
    return Asker(
        client=intent.client.id,
        client_name=intent.client.name,
        session=session.id,
        tool=intent.tool,
        timeout_seconds=intent.client.settings.policy.approval_timeout_s,
        doors=intent.doors,
    )


def _sight(intent: Intent, session: Session, site: Site | None, url: str) -> Sight:
    """What would happen, as far as it is known from the call and the address of the page."""
    policy = intent.client.settings.policy
    arguments = {
        name: value for name, value in intent.arguments.items() if name not in ("session", "tab", "timeout_ms")
    }
    element = arguments.get("element")
    steps = words.steps(arguments)
    return Sight(
        request=Request(
            effect=intent.effect,
            target=site,
            url=url,
            engine=session.engine,
            session=session.id,
            # A client may have chosen to be read-only; the rules know nothing of single clients.
            session_mode="readonly" if policy.mode == "readonly" else None,
        ),
        what=words.what(intent.tool, arguments),
        element=words.element_words(element),
        fingerprint=digest(element) if words.is_lasting_name(element) else "",
        values=words.values(arguments),
        payload=digest(arguments),
        steps=steps,
        plan=digest(intent.tool, steps) if steps else "",
    )
