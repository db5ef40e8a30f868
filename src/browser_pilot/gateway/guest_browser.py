"""The browser that guests get: background tabs, opened through the gateway, in a session of the calling client.

The user's Chrome is used where one is paired, because it has the user's logins; else the client's managed session. Each
request opens one background tab and closes it. A page that redirects to another site than the requested one is read
only after the guest's permission for that site was checked too.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar, cast

from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.config.live_reload import CurrentConfig
from browser_pilot.config.settings import GuestSettings
from browser_pilot.egress.parent_proxy import ParentProxy
from browser_pilot.errors import BrowserUnavailable, NavigationFailed, Timeout
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.host.browser_api import CapturedPage, Cookie, Credentials, SiteCheck
from browser_pilot.guests.host.fetch import Fetcher
from browser_pilot.guests.host.grants import GrantStore
from browser_pilot.guests.host.host_api import CapturePage, EnsureLogin, GetCookies
from browser_pilot.guests.host.host_requests import Host
from browser_pilot.guests.host.permissions import PermissionChecker
from browser_pilot.guests.installed.guest_secrets import GuestSecrets
from browser_pilot.guests.installed.manifest import BrowserChoice
from browser_pilot.guests.manager import GuestManager
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.forms import fill_form
from browser_pilot.page.actions.mouse import click
from browser_pilot.page.actions.navigate import open_address
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.actions.wait_for import wait_for
from browser_pilot.page.observe import cookies as jar
from browser_pilot.page.snapshot.content import read_content
from browser_pilot.page.snapshot.html_source import page_links, page_source
from browser_pilot.page.snapshot.selection import select_content
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import Site, page_site
from browser_pilot.policy.rules import Ruleset
from browser_pilot.policy.types import Effect
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.session import Session

from .context import Location, ToolContext
from .pipeline import Gateway
from .tool_call import Scope, ToolCall

T = TypeVar("T")

MAX_CONTENT_TOKENS = 2_000_000
# The wait on the page ends first, with an error that names the condition.
EXTRA_TIMEOUT_MS = 2_000


def choose_engine(manifest: BrowserChoice, setting: BrowserChoice, *, paired: bool) -> Literal["own", "managed"]:
    """The user's setting takes precedence over the manifest."""
    choice = manifest if setting == "auto" else setting
    if choice == "auto":
        return "own" if paired else "managed"
    if choice == "own" and not paired:
        raise BrowserUnavailable("This needs the user's own Chrome, and none is paired.")
    return choice


class GatewayBrowser:
    """``paired`` returns whether a Chrome of the user is paired."""

    def __init__(self, gateway: Gateway, *, setting: Callable[[], BrowserChoice], paired: Callable[[], bool]) -> None:
        self._gateway = gateway
        self._setting = setting
        self._paired = paired

    async def capture(
        self, context: CallContext, request: CapturePage, *, guest: str, browser: BrowserChoice, check_site: SiteCheck
    ) -> CapturedPage:
        visit = self._visit(context, guest, browser, request.timeout)
        async with visit.page(request.url, wait_for_load=request.waitForLoad) as tab:
            if request.waitForSelector is not None:
                element = {"css": request.waitForSelector}
                await visit.run(
                    "capture",
                    tab,
                    lambda context: wait_for(
                        context.tab, element=element, state="attached", timeout_ms=request.timeout
                    ),
                )
            site = await _check_current_site(tab, check_site)

            async def read(context: ToolContext) -> CapturedPage:
                captured = await _read(context.tab, request)
                # A page can navigate while it is read; the permission is for the site that was checked.
                if page_site(captured.url) != site or page_site(context.tab.page.url) != site:
                    raise NavigationFailed("The page navigated to another site while it was read.")
                return captured

            captured = await visit.run("capture", tab, read)
            if not request.captureCookies:
                return captured
            cookies = await visit.run("cookies", tab, lambda context: jar.get_cookies(context.tab, url=captured.url))
            return replace(captured, cookies=_cookies(cookies))

    async def cookies(
        self, context: CallContext, request: GetCookies, *, guest: str, browser: BrowserChoice, check_site: SiteCheck
    ) -> Sequence[Cookie]:
        visit = self._visit(context, guest, browser, request.timeout)
        url = request.openUrl or f"https://{request.domain.lstrip('.')}/"
        # The extension returns only cookies of sites that are open in controlled tabs, also if the page fails to load.
        is_opened = request.openUrl is not None or visit.session.engine == "own"
        async with visit.page(url, effect="cookies", navigate=is_opened, may_fail=request.openUrl is None) as tab:
            if request.openUrl is not None:
                await _check_current_site(tab, check_site)
            return _cookies(await jar.stored_cookies(tab, url))

    async def login(
        self,
        context: CallContext,
        request: EnsureLogin,
        credentials: Credentials | None,
        *,
        guest: str,
        browser: BrowserChoice,
        check_site: SiteCheck,
    ) -> None:
        visit = self._visit(context, guest, browser, request.timeout)
        if credentials is None and not visit.has_window:
            raise BrowserUnavailable(
                "A person has to sign in, and this browser has no window.",
                suggestions=["Run the client with --headed, or give the guest its credentials as secrets."],
            )
        async with visit.page(request.loginUrl) as tab:
            await _check_current_site(tab, check_site)
            if credentials is None:
                await visit.session.bring_to_front(tab)
            else:
                given = credentials
                await visit.run("write", tab, lambda context: _sign_in(context.action, request, given))
            await visit.run("capture", tab, lambda context: _wait_signed_in(context.tab, request))

    def _visit(self, context: CallContext, guest: str, browser: BrowserChoice, timeout_ms: int) -> _HostVisit:
        engine = choose_engine(browser, self._setting(), paired=self._paired())
        session = self._gateway.sessions.background_session(cast("Client", context.caller), engine)
        return _HostVisit(self._gateway, session, context, guest, timeout_ms)


class _HostVisit:
    """One host request, run through the gateway."""

    def __init__(self, gateway: Gateway, session: Session, context: CallContext, guest: str, timeout_ms: int) -> None:
        self.session = session
        self._gateway = gateway
        self._context = context
        self._guest = guest
        self._timeout_ms = timeout_ms

    @property
    def has_window(self) -> bool:
        """Whether the browser has a window."""
        return self.session.engine == "own" or not self.session.request.headless

    @asynccontextmanager
    async def page(
        self,
        url: str,
        *,
        effect: Effect = "navigate",
        wait_for_load: bool = True,
        navigate: bool = True,
        may_fail: bool = False,
    ) -> AsyncGenerator[Tab]:
        """A background tab, open inside the ``with`` block. Without ``navigate`` it is authorized, but stays empty."""

        async def open_page(context: ToolContext) -> None:
            if not navigate:
                return
            wait_until = None if wait_for_load else "commit"
            try:
                await open_address(context.action, context.url, wait_until=wait_until, timeout_ms=self._timeout_ms)
            except NavigationFailed:
                if not may_fail:
                    raise

        call = self._call(effect, url=url, scope=Scope.BACKGROUND_TAB)
        async with self._gateway.background_tab(call, self.session, open_page) as tab:
            yield tab

    async def run(self, effect: Effect, tab: Tab, execute: Callable[[ToolContext], Awaitable[T]]) -> T:
        location = Location(self.session, tab)
        _, result = await self._gateway.run(self._call(effect, tab=tab.id), execute, location=location)
        return result

    def _call(self, effect: Effect, *, url: str = "", tab: str | None = None, scope: Scope = Scope.TAB) -> ToolCall:
        return ToolCall(
            client=self.session.client,
            session=self.session.id,
            tool=self._context.tool,
            effect=effect,
            arguments={"guest": self._guest, **({"url": url} if url else {})},
            timeout_ms=self._timeout_ms + EXTRA_TIMEOUT_MS,
            scope=scope,
            tab=tab,
            url=url,
            channels=tuple(self._context.approval_channels),
            run=self._context.run,
        )


async def _check_current_site(tab: Tab, check_site: SiteCheck) -> Site:
    site = page_site(tab.page.url)
    if site is None or not site.host:
        raise NavigationFailed("The page did not open.")
    await check_site(site)
    return site


async def _read(tab: Tab, request: CapturePage) -> CapturedPage:
    links = await page_links(tab, timeout_ms=request.timeout) if request.links else None
    if request.select is not None:
        url, title = tab.page.url, await tab.title()
        selected = await select_content(tab, request.select, timeout_ms=request.timeout)
        return CapturedPage(title=title, url=url, links=links, data=selected["data"], is_cut=selected["isCut"])
    if request.format == "html":
        url = tab.page.url
        return CapturedPage(content=await page_source(tab), title=await tab.title(), url=url, links=links)
    reading = await read_content(
        tab.world,
        format="html" if request.format == "readable" else request.format,
        scope="article",
        max_tokens=MAX_CONTENT_TOKENS,
        timeout_ms=request.timeout,
    )
    return CapturedPage(content=reading.text, title=reading.title, url=reading.url, links=links)


async def _sign_in(action: ActionContext, request: EnsureLogin, credentials: Credentials) -> None:
    tab = action.tab
    fields = [
        (await resolve(tab, {"css": request.emailSelector}), credentials.username),
        (await resolve(tab, {"css": request.passwordSelector}), credentials.password),
    ]
    outcome = await fill_form(action, fields, submit=request.submitSelector is None)
    problem = next((field.problem for field in outcome.fields if field.problem is not None), None)
    if problem is not None:
        raise NavigationFailed("The login form did not accept the credentials.")
    if request.submitSelector is not None:
        await click(action, await resolve(tab, {"css": request.submitSelector}))


async def _wait_signed_in(tab: Tab, request: EnsureLogin) -> None:
    try:
        if request.successSelector is not None:
            await wait_for(tab, element={"css": request.successSelector}, timeout_ms=request.timeout)
        else:
            await wait_for(tab, element={"css": request.passwordSelector}, state="detached", timeout_ms=request.timeout)
    except (TimeoutError, Timeout):
        raise Timeout("The login was not completed in time.") from None


def _cookies(found: Sequence[jar.CookieFacts]) -> list[Cookie]:
    return [Cookie(cookie.name, cookie.value, cookie.domain) for cookie in found]


def create_guest_manager(
    home: Path,
    *,
    gateway: Gateway,
    approvals: ApprovalQueue,
    config: CurrentConfig,
    secrets: SecretStore,
    redactor: Redactor,
    log: AuditLog,
    paired: Callable[[], bool],
    parent_proxy: Callable[[], ParentProxy | None],
) -> GuestManager:
    """The guest manager of a home, connected to the gateway, the approvals, the secrets and the audit log."""
    guest_secrets = GuestSecrets(secrets)

    def settings() -> GuestSettings:
        return config.settings.guests

    def rules() -> Ruleset:
        return config.rules

    async def record(guest: str, text: str, details: Mapping[str, object]) -> None:
        await log.note(AuditNote(text, by=f"guest {guest}", details=details))

    host = Host(
        browser=GatewayBrowser(gateway, setting=lambda: settings().browser, paired=paired),
        permissions=PermissionChecker(approvals, GrantStore(home), record=record),
        fetcher=Fetcher(rules, parent_proxy=parent_proxy),
        secret_of=guest_secrets.value,
        record=record,
    )
    return GuestManager(home, settings=settings, host=host, secret_of=guest_secrets.value, redact=redactor.text)
