"""What watches over an act in a tab: its deadline, a page that goes down or hangs; and the words for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..approvals.clearance import Asker, Cleared
from ..errors import BrowserCrashed, NoTab, PilotError, Timeout
from ..pages.tab import Tab
from ..sessions.session import Session
from .intent import Intent
from .journal import Ending

T = TypeVar("T")


async def guarded(intent: Intent, session: Session, tab: Tab, act: Callable[[Tab], Awaitable[T]], ending: Ending) -> T:
    try:
        result = await act(tab)
    except PilotError as error:
        if isinstance(error, NoTab | BrowserCrashed) and await session.went_down(tab, tell=intent.acts):
            raise crashed(intent, tab) from error
        error.metadata.setdefault("tab", tab.id)
        error.metadata.setdefault("url", tab.page.url)
        if isinstance(error, Timeout):
            session.suspect(tab)
        raise
    except asyncio.CancelledError:
        # Most likely the call's own deadline.
        session.suspect(tab)
        raise
    finally:
        ending.url = tab.page.url
    # A page that closes itself is no failure; one that went down with its browser is, whatever it seemed to do.
    if not tab.open and await session.went_down(tab, tell=intent.acts):
        raise crashed(intent, tab)
    session.worked(tab)
    return result


async def in_time(intent: Intent, work: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(intent.timeout_ms / 1000):
            return await work
    except TimeoutError:
        raise too_long(intent) from None


def single_use(cleared: Cleared) -> str | None:
    """An approval for this action alone; others hold for more, and calls share them."""
    return cleared.question_id if cleared.answer is not None and cleared.answer.choice == "once" else None


def is_aimed(intent: Intent) -> bool:
    return bool(intent.aims) or intent.answers_dialog


def too_long(intent: Intent) -> Timeout:
    return Timeout(
        f"{intent.tool} did not finish within {intent.timeout_ms} ms.",
        suggestions=["Give a larger timeout_ms.", "Take a browser_snapshot to see the page as it is."],
    )


def crashed(intent: Intent, tab: Tab, *, begun: bool = True) -> BrowserCrashed:
    done = "while it worked on this; it may or may not have happened" if begun else "before this; nothing was done"
    return BrowserCrashed(
        f"The browser ended unexpectedly {done}.",
        suggestions=["Look at the page (browser_snapshot): it is loaded again, in a new browser if need be."],
        metadata={"tool": intent.tool, "tab": tab.id},
    )


def asker_of(intent: Intent, session: Session) -> Asker:
    return Asker(
        client=intent.client.id,
        client_name=intent.client.name,
        session=session.id,
        tool=intent.tool,
        timeout_seconds=intent.client.settings.policy.approval_timeout_s,
        doors=intent.doors,
    )
