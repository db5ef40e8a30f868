"""Supervises the execution of a call: its deadline, pages that hang, tabs and browsers that crash.

Each interruption becomes a typed error that says truthfully whether to retry: once input was sent, the outcome is
unknown and the call must not be repeated blindly; before that, nothing has happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

from browser_pilot.errors import (
    BrowserCrashed,
    BrowserDisconnected,
    NoTab,
    OutcomeUnknown,
    PausedByUser,
    PilotError,
    Timeout,
)
from browser_pilot.page.tab import Tab

from .audit import AuditRecord
from .context import ToolContext
from .tool_call import ToolCall

_INTERRUPTIONS = (Timeout, BrowserCrashed, BrowserDisconnected, PausedByUser)
CHECK_FIRST = "Take a browser_snapshot and check whether it happened before you repeat it."


@asynccontextmanager
async def with_deadline(call: ToolCall) -> AsyncGenerator[None]:
    """For steps before the execution: nothing was sent yet."""
    try:
        async with asyncio.timeout(call.timeout_ms / 1000):
            yield
    except TimeoutError:
        raise timeout_error(call) from None


@asynccontextmanager
async def supervised(context: ToolContext, record: AuditRecord) -> AsyncGenerator[None]:
    """Execute within the call's deadline. The tab may be opened inside."""
    call = context.call
    try:
        async with asyncio.timeout(call.timeout_ms / 1000) as deadline:
            context.deadline = deadline
            yield
        await _require_no_crash(context)
    except asyncio.CancelledError:
        _check_for_hang(context)
        raise
    except TimeoutError:
        _check_for_hang(context)
        raise _truthful(context, timeout_error(call)) from None
    except PilotError as error:
        explained = await _explained(context, error)
        if explained is error:
            raise
        raise explained from error
    finally:
        if context.action_in_tab is not None:
            record.url = context.tab.page.url


@contextmanager
def waiting_for_grid(context: ToolContext) -> Generator[None]:
    """While a Selenium Grid starts a browser, which has a timeout and an error of its own: the call's time stops."""
    deadline, now = context.deadline, asyncio.get_running_loop().time
    if deadline is None or (until := deadline.when()) is None:
        yield
        return
    started = now()
    deadline.reschedule(until + context.session.max_opening_seconds)
    try:
        yield
    finally:
        waited = now() - started
        context.started += waited
        if not deadline.expired():
            deadline.reschedule(until + waited)


async def _require_no_crash(context: ToolContext) -> None:
    """A page may close itself; one that went down with its browser is a failure, whatever it reported."""
    if context.action_in_tab is None:
        return
    tab = context.tab
    if not tab.open and await context.session.was_crash(tab, reported=context.call.has_effect):
        raise crash_error(context.call, tab, sent=context.may_have_taken_effect)
    context.session.clear_crash_history(tab)


async def _explained(context: ToolContext, error: PilotError) -> PilotError:
    """The error with its tab and URL; a crash where the tab is gone because of one."""
    if context.action_in_tab is None or isinstance(error, OutcomeUnknown):
        return error
    tab, session = context.tab, context.session
    if isinstance(error, NoTab | BrowserCrashed) and await session.was_crash(tab, reported=context.call.has_effect):
        return crash_error(context.call, tab, sent=context.may_have_taken_effect)
    error.metadata.setdefault("tab", tab.id)
    error.metadata.setdefault("url", tab.page.url)
    if isinstance(error, Timeout):
        session.check_for_hang(tab)
    return _truthful(context, error)


def _check_for_hang(context: ToolContext) -> None:
    if context.action_in_tab is not None:
        context.session.check_for_hang(context.tab)


def _truthful(context: ToolContext, error: PilotError) -> PilotError:
    """OUTCOME_UNKNOWN in place of an interruption that came after input was sent."""
    if not context.may_have_taken_effect or not isinstance(error, _INTERRUPTIONS):
        return error
    return OutcomeUnknown(
        f"{error.message} Input had been sent to the page, so the action may have taken effect.",
        suggestions=[CHECK_FIRST],
        metadata={"interrupted_by": error.code, "tool": context.call.tool, **error.metadata, "tab": context.tab.id},
    )


def timeout_error(call: ToolCall) -> Timeout:
    return Timeout(
        f"{call.tool} did not finish within {call.timeout_ms} ms.",
        suggestions=["Give a larger timeout_ms.", "Take a browser_snapshot to see the page as it is."],
    )


def crash_error(call: ToolCall, tab: Tab, *, sent: bool) -> PilotError:
    metadata: dict[str, str | int] = {"tool": call.tool, "tab": tab.id}
    if sent:
        return OutcomeUnknown(
            "The browser ended unexpectedly after input had been sent; the action may have taken effect.",
            suggestions=[CHECK_FIRST, "The page is loaded again, in a new browser if necessary."],
            metadata={"interrupted_by": BrowserCrashed.code, **metadata},
        )
    return BrowserCrashed(
        "The browser ended unexpectedly. No input had been sent to the page.",
        suggestions=["Take a browser_snapshot: the page is loaded again, in a new browser if necessary."],
        metadata=metadata,
    )
