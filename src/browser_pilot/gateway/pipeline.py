"""The path itself. Tools never hold a page: they say what they intend, and get the tab once that is allowed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from ..approvals.clearance import Clearance, Cleared, Sight
from ..errors import BrowserCrashed, CircuitOpen, ElementChanged, NoSession, NoTab, PilotError, Refused, Timeout
from ..pages.facts import Seen, look_at
from ..pages.resource import Resource
from ..pages.settle import catch_up
from ..pages.tab import Tab
from ..pages.transfers import FileCanRun
from ..policy.hosts import BLANK, Address, Site, page_site, parse_address
from ..records.entries import Intent as Entry
from ..records.redaction import Redactor
from ..sessions.client import Client
from ..sessions.registry import SessionRegistry
from ..sessions.session import Session
from ..sessions.wishes import Wishes
from .guarding import asker_of, crashed, guarded, in_time, is_aimed, single_use, too_long
from .intent import Intent
from .journal import Ending, Journal
from .limits import Limits
from .secrets import SecretFilling
from .sights import download_sight, named_aims, plain_request, shown_arguments, sight

logger = logging.getLogger(__name__)

T = TypeVar("T")

# A page that changes what an element is each time it is about to be acted on is not worth more.
MOST_TRIES = 5


@dataclass
class _Matter:
    """One call on its way: what it is about, and what was last seen of that.

    ``find`` is for one that saves a file: it says what there is to save. ``runs`` is the kind of that file, once it
    turned out to be one that can run.
    """

    intent: Intent
    session: Session
    site: Callable[[], Site | None]
    url: str = ""
    tab: Tab | None = None
    seen: Seen = field(default_factory=Seen)
    find: Callable[[Tab], Awaitable[Resource]] | None = None
    resource: Resource | None = None
    runs: str = ""
    shown: dict[str, object] = field(default_factory=dict[str, object])
    what: str = ""
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
        count_call: Callable[[Client, str], Awaitable[None]],
    ) -> None:
        self._count_call = count_call
        self._sessions = sessions
        self._clearance = clearance
        self._journal = journal
        self._limits = limits
        self._secrets = secrets
        self.redactor = redactor

    async def on_session(self, intent: Intent, act: Callable[[Session], Awaitable[T]]) -> T:
        """Do something with the client's session: its tabs as a whole."""
        session = self._sessions.find(intent.client, intent.session, intent.tab)
        await session.ready()

        async def do(_: _Matter, __: Cleared, ___: Ending) -> T:
            return await act(session)

        return await self._pass(_Matter(intent, session, lambda: BLANK), do)

    def plan_session(self, client: Client, wishes: Wishes) -> Session:
        """For ``on_planned``: a session that is nobody's yet and has no browser."""
        return self._sessions.plan(client, wishes)

    async def on_planned(self, intent: Intent, session: Session, url: str, act: Callable[[], Awaitable[T]]) -> T:
        """Decide about making a session, as if it went to the address that it would send everything to, if any."""

        async def do(_: _Matter, __: Cleared, ___: Ending) -> T:
            return await act()

        site = (lambda: page_site(url)) if url else (lambda: BLANK)
        return await self._pass(_Matter(intent, session, site, url=url), do)

    @property
    def sessions(self) -> SessionRegistry:
        """For what is no effect: which there are, and which is current."""
        return self._sessions

    def timeout_ms(self, client: Client, session: str | None, tab: str | None) -> int:
        """How long a call may take that does not say so itself."""
        try:
            own = self._sessions.find(client, session, tab).timeout_ms
        except NoSession:
            own = None
        return own or client.settings.tools.timeout_ms

    async def on_tab(self, intent: Intent, act: Callable[[Tab], Awaitable[T]]) -> T:
        """Do something in one open tab. What only looks is tried once more when the browser died of something."""
        try:
            return await self._on_tab(intent, act)
        except BrowserCrashed:
            if intent.acts:
                raise
            return await self._on_tab(intent, act)

    async def _on_tab(self, intent: Intent, act: Callable[[Tab], Awaitable[T]]) -> T:
        session = self._sessions.find(intent.client, intent.session, intent.tab)
        self._refuse_early(intent, session)
        await session.ready()
        tab = session.tab(intent.tab)
        if intent.acts:
            session.insist_told(tab)

        async def do(matter: _Matter, cleared: Cleared, ending: Ending) -> T:
            asked = cleared.question_id is not None
            secrets = self._secrets.named_in(intent.arguments)
            if secrets:
                # Before the first of them is in the page.
                await session.keep_out_of_urls(secrets)
            handed = tab.cleared(matter.seen, agreed=asked, fill=self._secrets.filler(tab))
            return await guarded(intent, session, handed, act, ending)

        try:
            # A script runs in the page as it is.
            if intent.effect != "script":
                await in_time(intent, catch_up(tab))
            return await self._pass(_Matter(intent, session, lambda: page_site(tab.page.url), tab=tab), do)
        except NoTab as error:
            # Found out while the page was looked at, before anything was done.
            if await session.went_down(tab, tell=intent.acts):
                raise crashed(intent, tab, begun=False) from error
            raise

    async def download(
        self,
        intent: Intent,
        find: Callable[[Tab], Awaitable[Resource]],
        act: Callable[[Session, Tab, Resource, str], Awaitable[tuple[T, str]]],
        *,
        tab: Tab | None = None,
        may_open: bool = False,
    ) -> T:
        """Save what ``find`` says there is. ``act`` also gets the kind of file that can run, where one was agreed to,
        and gives what the record should say besides its result. ``may_open`` lets it open a blank tab if there is none.
        """
        session = self._sessions.find(intent.client, intent.session, intent.tab)
        self._refuse_early(intent, session)
        await session.ready()
        page = tab or (await session.tab_or_new(intent.tab) if may_open else session.tab(intent.tab))

        async def do(matter: _Matter, _: Cleared, ending: Ending) -> T:
            resource = matter.resource
            if resource is None:
                raise AssertionError("what was decided about is known")
            result, ending.summary = await guarded(
                intent, session, page, lambda page: act(session, page, resource, matter.runs), ending
            )
            return result

        await in_time(intent, catch_up(page))
        matter = _Matter(intent, session, lambda: page_site(page.page.url), tab=page, find=find)
        return await self._pass(matter, do)

    async def navigate(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address, in the named tab, the current one, or a new one when none is open."""
        session = self._sessions.find(intent.client, intent.session, intent.tab)
        return await self._go(intent, session, url, act, lambda: session.tab_or_new(intent.tab))

    async def open_tab(self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[T]]) -> T:
        """Go to an address in a new tab."""
        session = self._sessions.find(intent.client, intent.session, intent.tab)
        return await self._go(intent, session, url, act, session.open_tab)

    @asynccontextmanager
    async def background_tab(
        self, intent: Intent, url: str, act: Callable[[Tab, Address], Awaitable[None]]
    ) -> AsyncGenerator[str]:
        """Go to an address in a tab that is nobody's; its id, for other calls while inside. Closed afterwards."""
        session = self._sessions.find(intent.client, intent.session, intent.tab)
        async with AsyncExitStack() as stack:
            opened: list[Tab] = []

            async def open_tab() -> Tab:
                opened.append(await stack.enter_async_context(session.background_tab()))
                return opened[0]

            await self._go(intent, session, url, act, open_tab)
            yield opened[0].id

    def take_notices(self, client: Client) -> list[str]:
        """What became of a client's tabs without its doing, and was not told yet: dialogs that nobody answered."""
        return [notice for session in self._sessions.of(client) for notice in session.take_notices()]

    def picked_tab(self, client: Client, session_id: str | None) -> str | None:
        """The tab in which the user last pointed at something; None when they did not."""
        tabs = self._sessions.find(client, session_id).tabs()
        picked = [(tab.picked.at, tab.id) for tab in tabs if tab.picked is not None]
        return max(picked)[1] if picked else None

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
            return await guarded(intent, session, tab, lambda tab: act(tab, address), ending)

        return await self._pass(_Matter(intent, session, lambda: page_site(address.href), url=address.href), do)

    def _refuse_early(self, intent: Intent, session: Session) -> None:
        """A client that may only look is told so, whether or not there is a page to act on."""
        if intent.acts and not session.tabs():
            decision = self._clearance.weigh(asker_of(intent, session), plain_request(intent, session, BLANK, ""))
            if decision.verdict == "deny":
                raise decision.error()

    async def _pass(self, matter: _Matter, do: Callable[[_Matter, Cleared, Ending], Awaitable[T]]) -> T:
        """Limits, decision, record, act; again when the page changed what would happen before it did."""
        intent = matter.intent
        outcome = "ended"
        try:
            self._secrets.refresh()
            self._limits.admit(intent)
            await self._count_call(intent.client, intent.tool)
            for tries in range(1, MOST_TRIES + 1):
                try:
                    with matter.session.in_use():
                        result = await self._once(matter, do)
                except ElementChanged as changed:
                    if tries == MOST_TRIES:
                        raise
                    matter.runs = changed.extension if isinstance(changed, FileCanRun) else matter.runs
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
                error = too_long(intent)
                self._limits.leave(intent, site, error)
                raise error from None
            except BaseException as error:
                self._limits.leave(intent, site, error)
                raise
            self._limits.leave(intent, site, None)
            return result

        if intent.acts:
            try:
                return await self._journal.effect(entry, cleared.reservation, act, uses_up=single_use(cleared))
            except (ElementChanged, CircuitOpen):
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
        asker = asker_of(intent, matter.session)

        async def look() -> Sight:
            request = plain_request(intent, matter.session, matter.site(), matter.url)
            matter.seen = Seen()
            # Nothing is looked at in a page, and nothing told of it, before the page itself may be used.
            looks = matter.tab is not None and (is_aimed(intent) or matter.find is not None)
            weighed = self._clearance.weigh(asker, request) if looks else None
            if matter.tab is not None and weighed is not None and weighed.about != "site" and weighed.verdict != "deny":
                if matter.find is not None:
                    matter.resource = await in_time(intent, matter.find(matter.tab))
                    self._secrets.keep_out_of(matter.resource.source)
                    matter.shown = shown_arguments(intent, matter.seen, self.redactor)
                    return download_sight(intent, request, matter.resource, matter.runs, self.redactor)
                matter.seen = await in_time(intent, self._see(intent, matter.tab))
            matter.shown = shown_arguments(intent, matter.seen, self.redactor)
            now = sight(intent, request, matter.seen, matter.shown, matter.tab)
            matter.what = now.what
            return now

        try:
            return await self._clearance.obtain(asker, look)
        except Timeout:
            if matter.tab is not None:
                matter.session.suspect(matter.tab)
            raise
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
        site = matter.site() if cleared is None else cleared.sight.request.target
        fetched = "" if matter.resource is None else matter.resource.source
        return Entry(
            client=intent.client.name,
            tool=intent.tool,
            arguments=matter.shown,
            effect=intent.effect,
            session=matter.session.id,
            tab=tab.id if tab is not None else intent.tab,
            url=matter.url or fetched or (tab.page.url if tab is not None else None),
            site=None if site is None else str(site),
            decision="deny" if cleared is None else "ask" if cleared.question_id else "allow",
            rule=rule if cleared is None else cleared.decision.rule,
            risk=None if cleared is None else cleared.decision.risk,
            approval=None if cleared is None else cleared.question_id,
            aims=named_aims(matter.seen),
            what=matter.what,
        )
