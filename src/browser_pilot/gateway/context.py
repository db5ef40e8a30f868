"""What the functions of a tool get: the authorized call, its session and, in a tab, the page's ``ActionContext``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from browser_pilot.approvals.authorizer import Authorization
from browser_pilot.config.settings import Settings
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.downloads.downloadable import Downloadable
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import BLANK, Address, Site, page_site
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.session import Session

from .action_preview import Inspection
from .page_access import PageAccess
from .tool_call import ToolCall


@dataclass(frozen=True)
class Location:
    """Where a call runs. ``address`` is a navigation's destination, ``background`` owns the background tab it opens."""

    session: Session
    tab: Tab | None = None
    address: Address | None = None
    background: AsyncExitStack | None = None

    def site_of(self, call: ToolCall) -> Site | None:
        """The site that the call is authorized for, as things are now."""
        if self.address is not None:
            return self.address.site
        if self.tab is not None:
            return page_site(self.tab.page.url)
        return page_site(call.url) if call.url else BLANK


# Takes the outcome of an action; what it returns is the result of that action, without the changes on the page.
DeferChanges = Callable[["ToolContext", Outcome], dict[str, object]]


@dataclass(eq=False)
class ToolContext:
    """One attempt at an authorized call.

    ``summary`` is what a tool adds to the audit entry. ``unresponsive`` is set when the page could not be read in time
    after an action. ``pages`` decides whether the page that the tab shows now may be described. ``deadline`` is that of
    the execution. ``defer`` takes the outcome of an action where a run shows the changes of all its steps together;
    ``token_limit`` is what is left for the result of a step.
    """

    call: ToolCall
    location: Location
    inspection: Inspection
    authorization: Authorization
    redactor: Redactor
    pages: PageAccess
    action_in_tab: ActionContext | None = None
    summary: str = ""
    unresponsive: bool = False
    defer: DeferChanges | None = None
    token_limit: int | None = None
    started: float = field(default_factory=time.monotonic)
    deadline: asyncio.Timeout | None = None

    @property
    def session(self) -> Session:
        return self.location.session

    @property
    def action(self) -> ActionContext:
        if self.action_in_tab is None:
            raise AssertionError("this call has no tab")
        return self.action_in_tab

    @property
    def tab(self) -> Tab:
        return self.action.tab

    @property
    def seen_tab(self) -> Tab | None:
        """The tab whose page the result shows; None for an effect, of which the client sees changes at most."""
        is_read = not self.call.has_effect or self.call.is_navigation
        return self.tab if self.action_in_tab is not None and is_read else None

    @property
    def url(self) -> str:
        """The canonical address of a navigation."""
        if self.location.address is None:
            raise AssertionError("this call does not navigate")
        return self.location.address.href

    @property
    def downloadable(self) -> Downloadable:
        if self.inspection.downloadable is None:
            raise AssertionError("this call downloads nothing")
        return self.inspection.downloadable

    @property
    def settings(self) -> Settings:
        return self.call.client.settings

    @property
    def max_tokens(self) -> int:
        limit = self.settings.tools.max_tokens
        return limit if self.token_limit is None else min(limit, self.token_limit)

    @property
    def may_have_taken_effect(self) -> bool:
        """Whether input was sent, so that the call must not be repeated blindly."""
        return self.call.has_effect and self.action_in_tab is not None and self.action_in_tab.sent

    def undescribed_site(self) -> str | None:
        """The site that the tab shows now, if it requires approval: the call was authorized for another page."""
        if self.action_in_tab is None or not self.tab.open or not self.pages.requires_approval(self.tab.page.url):
            return None
        return str(page_site(self.tab.page.url) or "an internal page")

    def remaining_ms(self, *, at_least: int = 0) -> int:
        """What is left of the call's time."""
        return max(at_least, self.call.timeout_ms - int((time.monotonic() - self.started) * 1000))
