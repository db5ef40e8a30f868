"""The call pipeline: the only path from a tool call to an effect.

``run`` takes a call through these steps, in this order: rate limit, locate the session and the tab, inspect the
targets, authorize (policy, approval, inspect again), write the intent to the audit log, execute, write the outcome. It
returns what the tool did; the result is rendered after that (``render``), so a slow snapshot does not fail a click.
Tools are declarations (``mcp_server.tool_registry``): they get a tab only as the context of an authorized call.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from browser_pilot.approvals.authorizer import (
    MAX_APPROVAL_REQUESTS,
    NO_APPROVAL,
    Authorization,
    Authorizer,
    Requester,
    page_keeps_changing_error,
)
from browser_pilot.audit_log.entries import AuditIntent as Entry
from browser_pilot.errors import (
    BrowserCrashed,
    ElementChanged,
    NoSession,
    NoTab,
    PilotError,
    Refused,
    StaleRef,
    Timeout,
)
from browser_pilot.files.upload_paths import UploadPaths
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.scripts.side_effect_free import PossibleSideEffect
from browser_pilot.page.actions.selectors import is_selector
from browser_pilot.page.actions.target_facts import inspect_targets
from browser_pilot.page.actions.wait_idle import finish_waiting
from browser_pilot.page.downloads.downloadable import find_downloadable
from browser_pilot.page.downloads.transfers import ExecutableFile
from browser_pilot.page.observe.cookies import cookie_sites
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import BLANK, parse_address
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.options import SessionOptions
from browser_pilot.sessions.registry import SessionRegistry
from browser_pilot.sessions.session import Session

from .action_preview import (
    Inspection,
    cookie_inspection,
    download_inspection,
    inspection_of,
    picture_for,
    plain_request,
    require_reviewable,
)
from .audit import AuditTrail
from .context import Location, ToolContext
from .page_access import PageAccess, requester_of
from .rate_limits import RateLimits
from .secret_injection import SecretInjector
from .supervision import crash_error, supervised, timeout_error, with_deadline
from .tool_call import Scope, ToolCall

logger = logging.getLogger(__name__)

T = TypeVar("T")
Execute = Callable[[ToolContext], Awaitable[T]]

# A page that changes an element each time before it is acted on gets no more attempts.
MAX_ATTEMPTS = 5
# A result is rendered within the call's own time, but gets at least this much after an action that took all of it.
MIN_RENDER_MS = 5_000


class Gateway:
    """Lives as long as the hub."""

    def __init__(
        self,
        *,
        home: Path,
        sessions: SessionRegistry,
        authorizer: Authorizer,
        audit: AuditTrail,
        rate_limits: RateLimits,
        secrets: SecretInjector,
        redactor: Redactor,
        count_call: Callable[[Client, str], Awaitable[None]],
    ) -> None:
        self._home = home
        self._count_call = count_call
        self._sessions = sessions
        self._authorizer = authorizer
        self._audit = audit
        self._rate_limits = rate_limits
        self._secrets = secrets
        self.redactor = redactor

    async def run(
        self, call: ToolCall, execute: Execute[T], *, location: Location | None = None
    ) -> tuple[ToolContext, T]:
        """Run a call. ``location`` is for callers that know the session or the tab already."""
        started, result = time.monotonic(), "cancelled"
        try:
            self._secrets.refresh()
            self._rate_limits.admit(call)
            await self._count_call(call.client, call.tool)
            try:
                done = await self._run(call, execute, location)
            except BrowserCrashed:
                if call.has_effect or call.scope is not Scope.TAB:
                    raise
                # Reading the page again, which the session restores, is safe.
                done = await self._run(call, execute, location)
            result = "ok"
            return done
        except PilotError as error:
            result = error.code
            error.metadata.setdefault("tool", call.tool)
            raise
        finally:
            duration_ms = (time.monotonic() - started) * 1000
            logger.info("%s by %s: %s in %.0f ms", call.tool, call.client.id, result, duration_ms)

    async def _run(self, call: ToolCall, execute: Execute[T], location: Location | None) -> tuple[ToolContext, T]:
        location = await self._locate(call, location)
        session = location.session
        try:
            for attempt in range(1, MAX_ATTEMPTS + 1):
                context: ToolContext | None = None
                try:
                    with session.in_use():
                        context = await self._authorize(call, location)
                        return context, await self._execute(context, execute)
                except (ElementChanged, ExecutableFile, PossibleSideEffect, StaleRef) as changed:
                    if attempt == MAX_ATTEMPTS:
                        raise
                    if isinstance(changed, StaleRef) and not _can_resolve_again(call, context):
                        raise
                    if isinstance(changed, PossibleSideEffect):
                        call = replace(call, has_side_effects=True)
                    if isinstance(changed, ExecutableFile):
                        call = replace(call, executable=changed.extension)
            raise AssertionError("unreachable")
        except NoTab as error:
            # The tab was lost while the page was inspected, before anything was executed.
            if location.tab is not None and await session.was_crash(location.tab, reported=call.has_effect):
                raise crash_error(call, location.tab, sent=False) from error
            raise

    async def _locate(self, call: ToolCall, location: Location | None) -> Location:
        """The session and, unless the call opens one, the tab; ready for use."""
        if call.scope is Scope.PLANNED_SESSION and location is not None:
            return location
        location = location or Location(self._sessions.find(call.client, call.session, call.tab))
        session = location.session
        if call.is_navigation:
            address = parse_address(call.url)
            self._secrets.refuse_in_url(address.href)
            return replace(location, address=address)
        if call.scope is Scope.SESSION:
            await session.ready()
            return location
        self._refuse_early(call, session)
        await session.ready()
        tab = location.tab
        if tab is None:
            new = call.scope is Scope.TAB_OR_NEW
            tab = await session.tab_or_new(call.tab) if new else session.tab(call.tab)
        location = replace(location, tab=tab)
        if call.has_effect and call.download is None:
            session.require_reload_acknowledged(tab)
        # A script runs in the page as it is; everything else waits for what the last navigation left loading.
        if call.effect != "script":
            async with with_deadline(call):
                await self._finish_loading(call, session, tab)
        return location

    async def _finish_loading(self, call: ToolCall, session: Session, tab: Tab) -> None:
        try:
            await finish_waiting(tab)
        except NoTab as error:
            if await session.was_crash(tab, reported=call.has_effect):
                raise crash_error(call, tab, sent=False) from error
            raise

    async def _authorize(self, call: ToolCall, location: Location) -> ToolContext:
        """Inspect and decide; where an approval is required, request it, then inspect and decide again."""
        requester = requester_of(call, location.session)
        started = time.monotonic()
        inspection: Inspection | None = None
        approval = NO_APPROVAL
        try:
            for _ in range(MAX_APPROVAL_REQUESTS + 1):
                inspection = await self._inspect(call, location, requester)
                decided = self._authorizer.decide(requester, inspection.preview, approval)
                if isinstance(decided, Authorization):
                    return self._context(call, location, inspection, decided)
                require_reviewable(call)
                picture = await picture_for(location.tab, inspection)
                approval = await self._authorizer.request_approval(requester, replace(decided, picture=picture))
            raise page_keeps_changing_error()
        except Timeout:
            if location.tab is not None:
                location.session.check_for_hang(location.tab)
            raise
        except Refused as error:
            entry = self._entry(call, location, inspection, None, rule=str(error.metadata.get("rule", "")) or None)
            self._audit.record_refusal(entry, error, started)
            raise

    async def _inspect(self, call: ToolCall, location: Location, requester: Requester) -> Inspection:
        """Inspect what the call would do now. A script that requires approval is tried without side effects first."""
        inspection = await self._inspect_page(call, location, requester)
        if not call.script or call.has_side_effects:
            return inspection
        request = inspection.preview.request
        free = replace(request, side_effect_free=True, element=None)
        needs_approval = self._authorizer.evaluate(requester, request).verdict == "ask"
        if needs_approval and self._authorizer.evaluate(requester, free).verdict == "allow":
            return replace(inspection, preview=replace(inspection.preview, request=free))
        return inspection

    async def _inspect_page(self, call: ToolCall, location: Location, requester: Requester) -> Inspection:
        url = location.address.href if location.address else call.url
        request = plain_request(call, location.session, location.site_of(call), url)
        tab = location.tab
        if tab is None or not call.inspects_page:
            return await inspection_of(call, request, self.redactor)
        # Nothing on a page is inspected, and nothing about it disclosed, before the page itself may be used.
        allowed = self._authorizer.evaluate(requester, request)
        if allowed.about == "site" or allowed.verdict == "deny":
            return await inspection_of(call, request, self.redactor)
        async with with_deadline(call):
            if call.download is not None:
                resource = await find_downloadable(tab, call.download)
                self._secrets.refuse_in_url(resource.source)
                return await download_inspection(call, request, resource, self.redactor)
            if call.cookies is not None:
                sites = await cookie_sites(tab, call.cookies)
                return await cookie_inspection(call, request, call.cookies, sites, self.redactor)
            if call.dialog:
                return await inspection_of(call, request, self.redactor, dialog=tab.dialogs.facts)
            files = await asyncio.to_thread(self._upload_paths(call).check, call.files) if call.files else ()
            elements = await inspect_targets(tab, call.targets)
            return await inspection_of(call, request, self.redactor, elements=elements, files=files)

    def _upload_paths(self, call: ToolCall) -> UploadPaths:
        settings = call.client.settings
        profile = settings.browser.user_data_dir
        return UploadPaths(self._home, settings.files.upload_dirs or (), () if profile is None else (Path(profile),))

    def _context(
        self, call: ToolCall, location: Location, inspection: Inspection, authorization: Authorization
    ) -> ToolContext:
        pages = PageAccess(self._authorizer, call, location.session)
        context = ToolContext(call, location, inspection, authorization, self.redactor, pages)
        if location.tab is not None:
            context.action_in_tab = ActionContext(
                location.tab,
                targets=tuple(element.target for element in inspection.elements),
                dialog=inspection.dialog,
                approved=authorization.approved,
                site=authorization.preview.request.target,
                side_effect_free=authorization.preview.request.side_effect_free,
                fill_secrets=self._secrets.filler(location.tab),
            )
        return context

    async def _execute(self, context: ToolContext, execute: Execute[T]) -> T:
        """Record the intent, execute within the deadline, record the outcome."""
        call, authorization = context.call, context.authorization
        entry = self._entry(call, context.location, context.inspection, authorization)
        recording = (
            self._audit.effect(entry, authorization.reservation, single_use=authorization.single_use)
            if call.has_effect
            else self._audit.read(entry)
        )
        async with recording as record:
            site = str(authorization.preview.request.target)
            with self._rate_limits.attempt(call, site):
                async with supervised(context, record):
                    await self._prepare(context)
                    result = await execute(context)
            record.summary = context.summary
        return result

    async def _prepare(self, context: ToolContext) -> None:
        """What must happen after the authorization and before the tool: open the tab, keep secrets out of URLs."""
        call, session, address = context.call, context.session, context.location.address
        if address is not None:
            context.action_in_tab = ActionContext(await self._open_tab(context))
            session.allow_navigation(address.site)
        elif context.location.tab is not None:
            secrets = self._secrets.secrets_in(call.arguments)
            if secrets:
                await session.block_in_urls(secrets)

    async def _open_tab(self, context: ToolContext) -> Tab:
        session, background = context.session, context.location.background
        if background is not None:
            return await background.enter_async_context(session.background_tab())
        if context.call.scope is Scope.NEW_TAB:
            return await session.open_tab()
        return await session.tab_or_new(context.call.tab)

    async def render(self, context: ToolContext, rendering: Awaitable[T]) -> T:
        """Wait for a tool to render its result, after the outcome was recorded."""
        try:
            with context.session.in_use():
                async with asyncio.timeout(context.remaining_ms(at_least=MIN_RENDER_MS) / 1000):
                    return await rendering
        except TimeoutError:
            raise timeout_error(context.call) from None
        finally:
            if context.unresponsive and context.action_in_tab is not None:
                context.session.check_for_hang(context.tab)

    @asynccontextmanager
    async def background_tab(self, call: ToolCall, session: Session, execute: Execute[None]) -> AsyncGenerator[Tab]:
        """Run a navigation in a background tab, which is open while inside."""
        async with AsyncExitStack() as stack:
            context, _ = await self.run(call, execute, location=Location(session, background=stack))
            yield context.tab

    @property
    def sessions(self) -> SessionRegistry:
        """For reads without an effect: the sessions, and the current one."""
        return self._sessions

    def plan_session(self, client: Client, options: SessionOptions) -> Session:
        """A session without an owner and a browser, to authorize its creation."""
        return self._sessions.plan(client, options)

    def timeout_ms(self, client: Client, session: str | None, tab: str | None) -> int:
        """The timeout of a call that does not give one."""
        try:
            own = self._sessions.find(client, session, tab).timeout_ms
        except NoSession:
            own = None
        return own or client.settings.tools.timeout_ms

    def take_notices(self, client: Client) -> list[str]:
        """New notices about a client's tabs, such as dismissed dialogs; each is returned once."""
        return [notice for session in self._sessions.of(client) for notice in session.take_notices()]

    def picked_tab(self, client: Client, session_id: str | None) -> str | None:
        """The tab in which the user last picked an element."""
        tabs = self._sessions.find(client, session_id).tabs()
        picked = [(tab.picked.picked_at, tab.id) for tab in tabs if tab.picked is not None]
        return max(picked)[1] if picked else None

    async def close_client(self, client: Client) -> None:
        """Forget what was counted for a client's sessions."""
        for session in self._sessions.ids_of(client):
            await self._audit.forget_session(session)

    def _refuse_early(self, call: ToolCall, session: Session) -> None:
        """A read-only client gets that error also when no page is open."""
        if call.has_effect and not session.tabs():
            request = plain_request(call, session, BLANK, "")
            decision = self._authorizer.evaluate(requester_of(call, session), request)
            if decision.verdict == "deny":
                raise decision.error()

    def _entry(
        self,
        call: ToolCall,
        location: Location,
        inspection: Inspection | None,
        authorization: Authorization | None,
        *,
        rule: str | None = None,
    ) -> Entry:
        tab = location.tab
        resource = None if inspection is None else inspection.downloadable
        site = location.site_of(call) if authorization is None else authorization.preview.request.target
        address = location.address.href if location.address else call.url
        fetched = "" if resource is None else resource.source
        return Entry(
            client=call.client.name,
            tool=call.tool,
            arguments={} if inspection is None else inspection.shown,
            effect=call.effect,
            session=location.session.id,
            tab=tab.id if tab is not None else call.tab,
            url=address or fetched or (tab.page.url if tab is not None else None),
            site=None if site is None else str(site),
            decision="deny" if authorization is None else "ask" if authorization.approved else "allow",
            rule=rule if authorization is None else authorization.decision.rule,
            risk=None if authorization is None else authorization.decision.risk,
            approval=None if authorization is None else authorization.approval_id,
            targets=() if inspection is None else inspection.named_targets,
            what="" if inspection is None or resource is not None else inspection.preview.what,
        )


def _can_resolve_again(call: ToolCall, context: ToolContext | None) -> bool:
    """Whether an element that is gone may be looked up again: it was named by a selector, and no input was sent.

    A page may have replaced it, or Chrome detached from the tab, which ends all refs.
    """
    sent = context is not None and context.may_have_taken_effect
    return not sent and bool(call.targets) and all(is_selector(spec.element) for spec in call.targets)
