"""The path itself. Tools never hold a page: they say what they intend, and get the tab once that is allowed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from ..approvals.clearance import Asker, Clearance, Cleared, Sight
from ..errors import BrowserCrashed, ElementChanged, NoTab, PilotError, Refused, Timeout
from ..pages.facts import Seen, look_at
from ..pages.tab import Tab
from ..policy.hosts import BLANK, Address, Site, page_site, parse_address
from ..records.entries import Intent as Entry
from ..records.redaction import Redactor
from ..sessions.client import Client
from ..sessions.registry import SessionRegistry
from ..sessions.session import Session
from .intent import Intent
from .journal import Ending, Journal
from .limits import Limits
from .secrets import SecretFilling
from .sights import plain_request, shown_arguments, sight

logger = logging.getLogger(__name__)

T = TypeVar("T")

# A page that changes what an element is each time it is about to be acted on is not worth more.
MOST_TRIES = 5


@dataclass
class _Matter:
    """One call on its way: what it is about, and what was last seen of that."""

    intent: Intent
    session: Session
    site: Callable[[], Site | None]
    url: str = ""
    tab: Tab | None = None
    seen: Seen = field(default_factory=Seen)
    started: float = field(default_factory=time.monotonic)


class Gateway:
    def __init__(
        self,
        *,
        sessions: SessionRegistry,
        clearance: Clearance,
        journal: Journal,
        limits: Limits,
        secrets: SecretFilling,
        redactor: Redactor,
    ) -> None:
        self._sessions = sessions
        self._clearance = clearance
        self._journal = journal
        self._limits = limits
        self._secrets = secrets
        self.redactor = redactor

    async def on_session(self, intent: Intent, act: Callable[[Session], Awaitable[T]]) -> T:
        """Do something with the client's session: its tabs as a whole."""
        session = self._sessions.find(intent.client, intent.session)
        await session.ready()

        async def do(_: _Matter, __: Cleared, ___: Ending) -> T:
            return await act(session)

        return await self._pass(_Matter(intent, session, lambda: BLANK), do)

    async def on_tab(self, intent: Intent, act: Callable[[Tab], Awaitable[T]]) -> T:
        """Do something in one open tab."""
        session = self._sessions.find(intent.client, intent.session)
        self._refuse_early(intent, session)
        await session.ready()
        tab = session.tab(intent.tab)

        async def do(matter: _Matter, cleared: Cleared, ending: Ending) -> T:
            asked = cleared.question_id is not None
            secrets = self._secrets.named_in(intent.arguments)
            if secrets:
                # Before the first of them is in the page.
                await session.keep_out_of_urls(secrets)
            handed = tab.cleared(matter.seen, guards_frames=asked, fill=self._secrets.filler(tab))
            return await _guarded(intent, session, handed, act, ending)

        return await self._pass(_Matter(intent, session, lambda: page_site(tab.page.url), tab=tab), do)

    async def navigate(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address, in the named tab, the current one, or a new one when none is open."""
        session = self._sessions.find(intent.client, intent.session)
        return await self._go(intent, session, url, act, lambda: session.tab_or_new(intent.tab))

    async def open_tab(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address in a new tab."""
        session = self._sessions.find(intent.client, intent.session)
        return await self._go(intent, session, url, act, session.open_tab)

    @asynccontextmanager
    async def background_tab(
        self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[None]]
    ) -> AsyncGenerator[str]:
        """Go to an address in a tab that is nobody's; its id, for other calls while inside. Closed afterwards."""
        session = self._sessions.find(intent.client, intent.session)
        async with AsyncExitStack() as stack:
            opened: list[Tab] = []

            async def open_tab() -> Tab:
                opened.append(await stack.enter_async_context(session.background_tab()))
                return opened[0]

            await self._go(intent, session, url, act, open_tab)
            yield opened[0].id

    def take_notices(self, client: Client) -> list[str]:
        """What became of a client's tabs without its doing, and was not told yet: dialogs that nobody answered."""
        tabs = self._sessions.find(client, None).tabs()
        return [f"Tab {tab.id}: {notice}" for tab in tabs for notice in tab.dialogs.take_unanswered()]

    async def close_client(self, client: Client) -> None:
        """Forget what was counted for a client's sessions."""
        for session in self._sessions.ids_of(client):
            await self._journal.forget_session(session)

    async def _go(
        self,
        intent: Intent,
        session: Session,
        url: str,
        act: Callable[[Tab, Address], Awaitable[T]],
        open_tab: Callable[[], Awaitable[Tab]],
    ) -> T:
        address = parse_address(url)
        self._secrets.keep_out_of(address.href)

        async def do(_: _Matter, __: Cleared, ending: Ending) -> T:
            tab = await open_tab()
            session.let_open(address.site)
            return await _guarded(intent, session, tab, lambda tab: act(tab, address), ending)

        return await self._pass(_Matter(intent, session, lambda: page_site(address.href), url=address.href), do)

    def _refuse_early(self, intent: Intent, session: Session) -> None:
        """A client that may only look is told so, whether or not there is a page to act on."""
        if intent.acts and not session.tabs():
            decision = self._clearance.weigh(_asker(intent, session), plain_request(intent, session, BLANK, ""))
            if decision.verdict == "deny":
                raise decision.error()

    async def _pass(self, matter: _Matter, do: Callable[[_Matter, Cleared, Ending], Awaitable[T]]) -> T:
        """Limits, decision, record, act; again when the page changed what would happen before it did."""
        intent = matter.intent
        outcome = "ended"
        try:
            self._secrets.refresh()
            self._limits.admit(intent)
            for tries in range(1, MOST_TRIES + 1):
                try:
                    result = await self._once(matter, do)
                except ElementChanged:
                    if tries == MOST_TRIES:
                        raise
                else:
                    outcome = "ok"
                    return result
            raise AssertionError("unreachable")
        except PilotError as error:
            outcome = error.code
            error.metadata.setdefault("tool", intent.tool)
            raise
        finally:
            elapsed_ms = (time.monotonic() - matter.started) * 1000
            logger.info("%s by %s: %s in %.0f ms", intent.tool, intent.client.id, outcome, elapsed_ms)

    async def _once(self, matter: _Matter, do: Callable[[_Matter, Cleared, Ending], Awaitable[T]]) -> T:
        intent = matter.intent
        cleared = await self._obtain(matter)
        site = str(cleared.sight.request.target)
        entry = self._entry(matter, cleared)

        async def act(ending: Ending) -> T:
            self._limits.enter(intent, site)
            try:
                async with asyncio.timeout(intent.timeout_ms / 1000):
                    result = await do(matter, cleared, ending)
            except TimeoutError:
                error = _too_long(intent)
                self._limits.leave(intent, site, error)
                raise error from None
            except BaseException as error:
                self._limits.leave(intent, site, error)
                raise
            self._limits.leave(intent, site, None)
            return result

        if intent.acts:
            try:
                return await self._journal.effect(entry, cleared.reservation, act, uses_up=_single_use(cleared))
            except ElementChanged:
                await self._journal.give_back(cleared.reservation)
                raise
        return await self._look(entry, act)

    async def _look(self, entry: Entry, act: Callable[[Ending], Awaitable[T]]) -> T:
        ending, started = Ending(), time.monotonic()
        failure: BaseException | None = None
        try:
            return await act(ending)
        except BaseException as error:
            failure = error
            raise
        finally:
            self._journal.looked(entry, failure, started, ending)

    async def _obtain(self, matter: _Matter) -> Cleared:
        intent = matter.intent
        asker = _asker(intent, matter.session)

        async def look() -> Sight:
            request = plain_request(intent, matter.session, matter.site(), matter.url)
            matter.seen = Seen()
            # Nothing is looked at in a page, and nothing told of it, before the page itself may be used.
            weighed = self._clearance.weigh(asker, request) if matter.tab is not None and _is_aimed(intent) else None
            if matter.tab is not None and weighed is not None and weighed.about != "site" and weighed.verdict != "deny":
                matter.seen = await _in_time(intent, self._see(intent, matter.tab))
            return sight(intent, request, matter.seen, matter.tab, self.redactor)

        try:
            return await self._clearance.obtain(asker, look)
        except Refused as error:
            entry = self._entry(matter, None, rule=str(error.metadata.get("rule", "")) or None)
            self._journal.refused(entry, error, matter.started)
            raise

    async def _see(self, intent: Intent, tab: Tab) -> Seen:
        if intent.answers_dialog:
            return Seen(dialog=tab.dialogs.facts)
        return await look_at(tab, intent.aims)

    def _entry(self, matter: _Matter, cleared: Cleared | None, *, rule: str | None = None) -> Entry:
        intent, tab = matter.intent, matter.tab
        site = matter.site()
        return Entry(
            client=intent.client.name,
            tool=intent.tool,
            arguments=shown_arguments(intent, matter.seen, self.redactor),
            effect=intent.effect,
            session=matter.session.id,
            tab=tab.id if tab is not None else intent.tab,
            url=matter.url or (tab.page.url if tab is not None else None),
            site=None if site is None else str(site),
            decision="deny" if cleared is None else "ask" if cleared.question_id else "allow",
            rule=rule if cleared is None else cleared.decision.rule,
            risk=None if cleared is None else cleared.decision.risk,
            approval=None if cleared is None else cleared.question_id,
        )


async def _guarded(intent: Intent, session: Session, tab: Tab, act: Callable[[Tab], Awaitable[T]], ending: Ending) -> T:
    try:
        result = await act(tab)
    except PilotError as error:
        if isinstance(error, NoTab) and await session.went_down(tab):
            raise _crashed(intent, tab) from error
        error.metadata.setdefault("tab", tab.id)
        error.metadata.setdefault("url", tab.page.url)
        raise
    finally:
        ending.url = tab.page.url
    # A page that closes itself is no failure; one that went down with its browser is, whatever it seemed to do.
    if not tab.open and await session.went_down(tab):
        raise _crashed(intent, tab)
    return result


async def _in_time(intent: Intent, work: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(intent.timeout_ms / 1000):
            return await work
    except TimeoutError:
        raise _too_long(intent) from None


def _single_use(cleared: Cleared) -> str | None:
    """An approval for this action alone; others hold for more, and calls share them."""
    return cleared.question_id if cleared.answer is not None and cleared.answer.choice == "once" else None


def _is_aimed(intent: Intent) -> bool:
    return bool(intent.aims) or intent.answers_dialog


def _too_long(intent: Intent) -> Timeout:
    return Timeout(
        f"{intent.tool} did not finish within {intent.timeout_ms} ms.",
        suggestions=["Give a larger timeout_ms.", "Take a browser_snapshot to see the page as it is."],
    )


def _crashed(intent: Intent, tab: Tab) -> BrowserCrashed:
    return BrowserCrashed(
        "The browser ended unexpectedly while it worked on this; it may or may not have happened.",
        suggestions=["Open the page again with browser_navigate: a new browser is started."],
        metadata={"tool": intent.tool, "tab": tab.id},
    )


def _asker(intent: Intent, session: Session) -> Asker:
    return Asker(
        client=intent.client.id,
        client_name=intent.client.name,
        session=session.id,
        tool=intent.tool,
        timeout_seconds=intent.client.settings.policy.approval_timeout_s,
        doors=intent.doors,
    )
