"""One tool call as data: who calls, what it does, where, and on which targets. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from browser_pilot.approvals.queue import ApprovalChannel
from browser_pilot.audit_log.entries import RunStep
from browser_pilot.page.actions.target_facts import TargetSpec
from browser_pilot.page.downloads.downloadable import DownloadSpec
from browser_pilot.page.observe.cookies import CookieSpec
from browser_pilot.policy.types import BUDGETED_EFFECTS, Effect
from browser_pilot.sessions.client import Client

# (done so far, total where it is known, text): MCP's progress notification.
Progress = Callable[[float, float | None, str], Coroutine[Any, Any, None]]


async def no_progress(_done: float, _total: float | None, _text: str) -> None:
    """The client did not ask for progress notifications."""


@dataclass(eq=False)
class UserWait:
    """How long a call waited for its user: for an approval, or until they resumed agents."""

    seconds: float = 0.0

    @contextmanager
    def counted(self) -> Generator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds += time.monotonic() - started


class Scope(Enum):
    """Where a call runs. The tabs of navigations are opened after authorization, the others are located before it."""

    TAB = "the named or current tab"
    TAB_OR_NEW = "the named or current tab, or a new one when none is open"
    NEW_TAB = "a new tab"
    BACKGROUND_TAB = "a tab that the client does not see"
    SESSION = "the session, no tab"
    PLANNED_SESSION = "a session that the caller holds: not open yet, or about to be closed"


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """``arguments`` are the raw ones, for the audit log and the approval request.

    ``url`` is where a navigation goes, or the address that a planned session is authorized for. ``targets``, ``dialog``
    (the open one), ``download`` and ``cookies`` are what is inspected on the page before the authorization.
    ``files`` are the paths of local files to upload. ``executable`` is the extension of a download that turned out to
    be an executable file; ``has_side_effects``: a script turned out to have some. ``run`` is set for a step of a run.
    """

    client: Client
    tool: str
    effect: Effect
    arguments: Mapping[str, object]
    timeout_ms: int
    scope: Scope = Scope.TAB
    session: str | None = None
    tab: str | None = None
    url: str = ""
    targets: tuple[TargetSpec, ...] = ()
    files: tuple[str, ...] = ()
    dialog: bool = False
    download: DownloadSpec | None = None
    cookies: CookieSpec | None = None
    executable: str = ""
    has_side_effects: bool = False
    channels: tuple[ApprovalChannel, ...] = ()
    progress: Progress = no_progress
    run: RunStep | None = None
    user_wait: UserWait = field(default_factory=UserWait)

    @property
    def has_effect(self) -> bool:
        """Whether it does more than read."""
        return self.effect in BUDGETED_EFFECTS

    @property
    def is_navigation(self) -> bool:
        """Whether it opens ``url``; an empty one too, so that it is rejected as an invalid address."""
        return self.download is None and self.scope in (Scope.TAB_OR_NEW, Scope.NEW_TAB, Scope.BACKGROUND_TAB)

    @property
    def script(self) -> str:
        """The JavaScript that it runs in the page."""
        given = self.arguments.get("expression") or self.arguments.get("function")
        return str(given or "") if self.effect == "script" else ""

    @property
    def inspects_page(self) -> bool:
        """Whether something on the page has to be inspected before the authorization."""
        return bool(self.targets) or self.dialog or self.download is not None or self.cookies is not None
