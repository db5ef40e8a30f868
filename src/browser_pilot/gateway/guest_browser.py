"""The browser that guests get: pages opened in the background, through the gateway, with the caller's own session.

Which browser that is: the user's Chrome where one is paired, because its logins are the point; else the managed
session of the client that called. Each request opens one hidden tab and closes it. A page that ends on another site
than the one asked for is read only after the guest's permission for that site was checked as well.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, TypeVar, cast

from .approvals.queue import ApprovalQueue
from .config import GuestSettings
from .errors import BrowserUnavailable, NavigationFailed, Timeout
from .gateway import Gateway, Intent
from .guests.browser import Captured, Cookie, Credentials, Recheck
from .guests.context import CallContext
from .guests.fetch import Fetcher
from .guests.host import Host
from .guests.house import GuestHouse
from .guests.manifest import BrowserChoice
from .guests.methods import CapturePage, EnsureLogin, GetCookies
from .guests.permissions import GrantBook, Permits
from .guests.secrets import GuestSecrets
from .pages import cookies as jar
from .pages.forms import fill_form
from .pages.navigate import open_address
from .pages.pointer import click
from .pages.read import read_page
from .pages.source import page_links, page_source
from .pages.tab import Tab
from .pages.waiting import wait_for
from .policy.hosts import Address, Site, page_site
from .policy.rules import Ruleset
from .policy.vocabulary import Effect
from .records.activity import ActivityLog
from .records.entries import Note
from .records.redaction import Redactor
from .records.secrets import SecretStore
from .sessions.client import Client
from .sessions.session import Session

T = TypeVar("T")

WHOLE_PAGE_TOKENS = 2_000_000
# So that whatever waits on the page says itself what it waited for.
GRACE_MS = 2_000


def which_browser(wanted: BrowserChoice, setting: BrowserChoice, *, paired: bool) -> Literal["own", "managed"]:
    """The user's setting goes before the manifest's wish."""
    choice = wanted if setting == "auto" else setting
    if choice == "auto":
        return "own" if paired else "managed"
    if choice == "own" and not paired:
        raise BrowserUnavailable("This needs the user's own Chrome, and none is paired.")
    return choice


class GatewayBrowser:
    """``paired`` says whether a Chrome of the user's is paired."""

    def __init__(self, gateway: Gateway, *, setting: Callable[[], BrowserChoice], paired: Callable[[], bool]) -> None:
        self._gateway = gateway
        self._setting = setting
        self._paired = paired

    async def capture(
        self, context: CallContext, wish: CapturePage, *, guest: str, browser: BrowserChoice, recheck: Recheck
    ) -> Captured:
        visit = self._visit(context, guest, browser, wish.timeout)
        async with visit.page(wish.url, settle=wish.waitForLoad) as tab:
            if wish.waitForSelector is not None:
                element = {"css": wish.waitForSelector}
                await visit.act(
                    "capture",
                    tab,
                    lambda tab: wait_for(tab, element=element, state="attached", timeout_ms=wish.timeout),
                )
            site = await _rechecked(tab, recheck)

            async def read(tab: Tab) -> Captured:
                captured = await _read(tab, wish)
                # A page can move on while it is read; what was allowed is the site that was asked about.
                if page_site(captured.url) != site or page_site(tab.page.url) != site:
                    raise NavigationFailed("The page moved on to another site while it was read.")
                return captured

            captured = await visit.act("capture", tab, read)
            if not wish.captureCookies:
                return captured
            cookies = await visit.act("cookies", tab, lambda tab: jar.get_cookies(tab, url=captured.url))
            return Captured(
                content=captured.content,
                title=captured.title,
                url=captured.url,
                links=captured.links,
                cookies=_cookies(cookies),
            )

    async def cookies(
        self, context: CallContext, wish: GetCookies, *, guest: str, browser: BrowserChoice, recheck: Recheck
    ) -> Sequence[Cookie]:
        visit = self._visit(context, guest, browser, wish.timeout)
        url = wish.openUrl or f"https://{wish.domain.lstrip('.')}/"
        async with visit.page(url, effect="cookies", go=wish.openUrl is not None) as tab:
            if wish.openUrl is not None:
                await _rechecked(tab, recheck)
            return _cookies(await jar.cookies_kept_for(tab, url))

    async def login(
        self,
        context: CallContext,
        wish: EnsureLogin,
        credentials: Credentials | None,
        *,
        guest: str,
        browser: BrowserChoice,
        recheck: Recheck,
    ) -> None:
        visit = self._visit(context, guest, browser, wish.timeout)
        if credentials is None and not visit.is_seen:
            raise BrowserUnavailable(
                "A person has to sign in, and this browser has no window.",
                suggestions=["Run the client with --headed, or give the guest its credentials as secrets."],
            )
        async with visit.page(wish.loginUrl) as tab:
            await _rechecked(tab, recheck)
            if credentials is None:
                await visit.session.show(tab)
            else:
                given = credentials
                await visit.act("write", tab, lambda tab: _sign_in(tab, wish, given))
            await visit.act("capture", tab, lambda tab: _until_signed_in(tab, wish))

    def _visit(self, context: CallContext, guest: str, browser: BrowserChoice, timeout_ms: int) -> _Visit:
        engine = which_browser(browser, self._setting(), paired=self._paired())
        session = self._gateway.sessions.aside(cast("Client", context.caller), engine)
        return _Visit(self._gateway, session, context, guest, timeout_ms)


class _Visit:
    """One host request on its way through the gateway."""

    def __init__(self, gateway: Gateway, session: Session, context: CallContext, guest: str, timeout_ms: int) -> None:
        self.session = session
        self._gateway = gateway
        self._context = context
        self._guest = guest
        self._timeout_ms = timeout_ms

    @property
    def is_seen(self) -> bool:
        """Whether a person can see the browser."""
        return self.session.engine == "own" or not self.session.request.headless

    @asynccontextmanager
    async def page(
        self, url: str, *, effect: Effect = "navigate", settle: bool = True, go: bool = True
    ) -> AsyncGenerator[Tab]:
        """A page that is open while inside; with ``go`` off, only permission for it and an empty tab."""
        opened: list[Tab] = []

        async def open_it(tab: Tab, address: Address) -> None:
            opened.append(tab)
            if go:
                wait_until = None if settle else "commit"
                await open_address(tab, address.href, wait_until=wait_until, timeout_ms=self._timeout_ms)

        async with self._gateway.background_tab(self._intent(effect, url=url), url, open_it):
            yield opened[0]

    async def act(self, effect: Effect, tab: Tab, work: Callable[[Tab], Awaitable[T]]) -> T:
        return await self._gateway.on_tab(self._intent(effect, tab=tab.id), work)

    def _intent(self, effect: Effect, *, url: str = "", tab: str | None = None) -> Intent:
        return Intent(
            client=self.session.client,
            session=self.session.id,
            tool=self._context.tool,
            effect=effect,
            arguments={"guest": self._guest, **({"url": url} if url else {})},
            timeout_ms=self._timeout_ms + GRACE_MS,
            tab=tab,
            doors=tuple(self._context.doors),
        )


async def _rechecked(tab: Tab, recheck: Recheck) -> Site:
    site = page_site(tab.page.url)
    if site is None or not site.host:
        raise NavigationFailed("The page did not open.")
    await recheck(site)
    return site


async def _read(tab: Tab, wish: CapturePage) -> Captured:
    links = await page_links(tab, timeout_ms=wish.timeout) if wish.links else None
    if wish.format == "html":
        url = tab.page.url
        return Captured(content=await page_source(tab), title=await tab.title(), url=url, links=links)
    reading = await read_page(
        tab.world,
        format="html" if wish.format == "readable" else wish.format,
        scope="article",
        max_tokens=WHOLE_PAGE_TOKENS,
        timeout_ms=wish.timeout,
    )
    return Captured(content=reading.text, title=reading.title, url=reading.url, links=links)


async def _sign_in(tab: Tab, wish: EnsureLogin, credentials: Credentials) -> None:
    fields = [
        ({"css": wish.emailSelector}, credentials.username),
        ({"css": wish.passwordSelector}, credentials.password),
    ]
    outcome = await fill_form(tab, fields, submit=wish.submitSelector is None)
    problem = next((field.problem for field in outcome.fields if field.problem is not None), None)
    if problem is not None:
        raise NavigationFailed("The login form did not take what was filled in.")
    if wish.submitSelector is not None:
        await click(tab, {"css": wish.submitSelector})


async def _until_signed_in(tab: Tab, wish: EnsureLogin) -> None:
    try:
        if wish.successSelector is not None:
            await wait_for(tab, element={"css": wish.successSelector}, timeout_ms=wish.timeout)
        else:
            await wait_for(tab, element={"css": wish.passwordSelector}, state="detached", timeout_ms=wish.timeout)
    except (TimeoutError, Timeout):
        raise Timeout("The login was not done in time.") from None


def _cookies(found: Sequence[jar.CookieFacts]) -> list[Cookie]:
    return [Cookie(cookie.name, cookie.value, cookie.domain) for cookie in found]


def open_house(
    home: Path,
    *,
    gateway: Gateway,
    approvals: ApprovalQueue,
    rules: Callable[[], Ruleset],
    settings: Callable[[], GuestSettings],
    secrets: SecretStore,
    redactor: Redactor,
    log: ActivityLog,
    paired: Callable[[], bool],
) -> GuestHouse:
    """The guests of a home, with everything that they need of the hub."""
    given = GuestSecrets(secrets)

    async def record(guest: str, text: str, details: Mapping[str, object]) -> None:
        await log.note(Note(text, by=f"guest {guest}", details=details))

    host = Host(
        browser=GatewayBrowser(gateway, setting=lambda: settings().browser, paired=paired),
        permits=Permits(approvals, GrantBook(home), record=record),
        fetcher=Fetcher(rules),
        secret_of=given.value,
        record=record,
    )
    return GuestHouse(home, settings=settings, host=host, secret_of=given.value, redact=redactor.text)
