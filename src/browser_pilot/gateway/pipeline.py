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
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import TypeVar

from browser_pilot.approvals.authorizer import (
    MAX_APPROVAL_REQUESTS,
    NO_APPROVAL,
    Authorization,
    Authorizer,
    page_keeps_changing_error,
)
from browser_pilot.approvals.changes import changes_since
from browser_pilot.approvals.models import ApprovalRequest
from browser_pilot.errors import (
    BrowserCrashed,
    NoSession,
    NoTab,
    PilotError,
    Refused,
    Timeout,
)
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.wait_idle import finish_waiting
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import BLANK, parse_address
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.registry import SessionRegistry
from browser_pilot.sessions.session import Session

from .action_preview import (
    Inspection,
    picture_for,
    plain_request,
    require_reviewable,
)
from .audit import AuditTrail
from .audit_entry import audit_entry, refusal_entry
from .context import Location, ToolContext
from .guest_calls import GuestCalls
from .inspector import Inspector
from .page_access import PageAccess, requester_of
from .rate_limits import RateLimits
from .retries import InspectAgain, outdated_inspection
from .secret_injection import SecretInjector
from .supervision import crash_error, supervised, timeout_error, waiting_for_grid, with_deadline
from .tool_call import Scope, ToolCall

logger = logging.getLogger(__name__)

T = TypeVar("T")
Execute = Callable[[ToolContext], Awaitable[T]]

# A page that changes an element each time before it is acted on gets no more attempts.
MAX_ATTEMPTS = 5
# A result is rendered within the call's own time, but gets at least this much after an action that took all of it.
MIN_RENDER_MS = 5_000
# How long a call waits at most while the user has paused all agents.
MAX_PAUSE_SECONDS = 30.0


class Gateway:
    """Lives as long as the hub. ``wait_resumed`` waits while the user has paused agents in a session's browser."""

    def __init__(
        self,
        *,
        sessions: SessionRegistry,
        authorizer: Authorizer,
        inspector: Inspector,
        audit: AuditTrail,
        rate_limits: RateLimits,
        secrets: SecretInjector,
        count_call: Callable[[Client, str], Awaitable[None]],
        wait_resumed: Callable[[Session, float], Awaitable[None]],
    ) -> None:
        self._count_call = count_call
        self._wait_resumed = wait_resumed
        self._sessions = sessions
        self._authorizer = authorizer
        self._inspector = inspector
        self._audit = audit
        self._rate_limits = rate_limits
        self._secrets = secrets
        self.redactor = inspector.redactor
        self.guest_calls = GuestCalls(audit, rate_limits, count_call)

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
        approved: list[ApprovalRequest] = []
        try:
            for attempt in range(1, MAX_ATTEMPTS + 1):
                try:
                    return await self._attempt(call, execute, location, approved)
                except InspectAgain as outdated:
                    if attempt == MAX_ATTEMPTS:
                        raise outdated.error from None
                    call = outdated.call
            raise AssertionError("unreachable")
        except NoTab as error:
            # The tab was lost while the page was inspected, before anything was executed.
            if location.tab is not None and await location.session.was_crash(location.tab, reported=call.has_effect):
                raise crash_error(call, location.tab, sent=False) from error
            raise

    async def _attempt(
        self, call: ToolCall, execute: Execute[T], location: Location, approved: list[ApprovalRequest]
    ) -> tuple[ToolContext, T]:
        """Authorize and execute once. Raises ``InspectAgain`` if the page is no longer as it was inspected.

        ``approved`` are the requests about this call's action that a person approved, also in earlier attempts.
        """
        with location.session.in_use():
            with outdated_inspection(call):
                context = await self._authorize(call, location, approved)
            with outdated_inspection(call, context):
                return context, await self._execute(context, execute)

    async def _locate(self, call: ToolCall, location: Location | None) -> Location:
        """The session and, unless the call opens one, the tab; ready for use."""
        if call.scope is Scope.PLANNED_SESSION and location is not None:
            return location
        location = location or Location(self._sessions.find(call.client, call.session, call.tab))
        session = location.session
        if call.is_navigation:
            address = parse_address(call.url)
            self._secrets.refuse_in_url(address.href)
            location = replace(location, address=address)
            await self._wait_while_paused(call, location)
            return location
        if call.scope is Scope.SESSION:
            await self._wait_while_paused(call, location)
            await session.ready()
            return location
        self._refuse_early(call, session)
        await self._wait_while_paused(call, location)
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

    async def _wait_while_paused(self, call: ToolCall, location: Location) -> None:
        """A call waits while the user has paused agents, within its own time. Refusals are recorded."""
        started = time.monotonic()
        try:
            with call.user_wait.counted():
                await self._wait_resumed(location.session, _pause_seconds(call))
        except Refused as error:
            self._audit.record_refusal(refusal_entry(call, location, None, error), error, started)
            raise

    async def _finish_loading(self, call: ToolCall, session: Session, tab: Tab) -> None:
        try:
            await finish_waiting(tab)
        except NoTab as error:
            if await session.was_crash(tab, reported=call.has_effect):
                raise crash_error(call, tab, sent=False) from error
            raise

    async def _authorize(self, call: ToolCall, location: Location, approved: list[ApprovalRequest]) -> ToolContext:
        """Inspect and decide; where an approval is required, request it, then inspect and decide again."""
        requester = requester_of(call, location.session)
        started = time.monotonic()
        inspection: Inspection | None = None
        approval = NO_APPROVAL
        try:
            for _ in range(MAX_APPROVAL_REQUESTS + 1):
                inspection = await self._inspector.inspect(call, location, requester)
                decided = self._authorizer.decide(requester, inspection.preview, approval)
                if isinstance(decided, Authorization):
                    return self._context(call, location, inspection, decided)
                require_reviewable(call, decided)
                if approved and decided.about == "action":
                    decided = replace(decided, changes=changes_since(approved[0], decided))
                picture = await picture_for(location.tab, inspection)
                with call.user_wait.counted():
                    approval = await self._authorizer.request_approval(requester, replace(decided, picture=picture))
                    if decided.about == "action":
                        approved.append(decided)
                    # A person may decide a request after they paused.
                    await self._wait_resumed(location.session, _pause_seconds(call))
            raise page_keeps_changing_error()
        except Timeout:
            if location.tab is not None:
                location.session.check_for_hang(location.tab)
            raise
        except Refused as error:
            self._audit.record_refusal(refusal_entry(call, location, inspection, error), error, started)
            raise

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
        entry = audit_entry(call, context.location, context.inspection, authorization)
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
            with waiting_for_grid(context) if session.engine == "grid" and not session.is_open else nullcontext():
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

    def timeout_ms(self, client: Client, session: str | None, tab: str | None) -> int:
        """The timeout of a call that does not give one."""
        try:
            own = self._sessions.find(client, session, tab).timeout_ms
        except NoSession:
            own = None
        return own or client.settings.tools.timeout_ms

    def _refuse_early(self, call: ToolCall, session: Session) -> None:
        """A read-only client gets that error also when no page is open."""
        if call.has_effect and not session.tabs():
            request = plain_request(call, session, BLANK, "")
            decision = self._authorizer.evaluate(requester_of(call, session), request)
            if decision.verdict == "deny":
                raise decision.error()


def _pause_seconds(call: ToolCall) -> float:
    return min(call.timeout_ms / 1000, MAX_PAUSE_SECONDS)
