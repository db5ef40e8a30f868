"""A tab of the user's browser that agents may drive, as the relay sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ..errors import PilotError
from .handles import Handles
from .told import Told
from .wire import Json

if TYPE_CHECKING:
    from .cdp_client import CdpClient

Kind = Literal["shared", "agent"]
Reply = Callable[[Any, PilotError | None], None]


@dataclass(frozen=True, slots=True)
class Command:
    """One command on its way to a tab, or to a frame or worker in it (``child``)."""

    method: str
    params: Json
    child: str | None
    reply: Reply


@dataclass(eq=False, slots=True)
class DrivenTab:
    """``claimable`` while any client may take it. A tab that is asleep is attached again by the next command."""

    id: int
    kind: Kind
    since: float
    opener: int | None
    claimable: bool
    session: str
    owner: CdpClient | None = None
    state: Literal["known", "attaching", "attached", "asleep"] = "known"
    target: Json = field(default_factory=dict[str, Any])
    url: str = ""
    aliases: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    children: dict[str, Json] = field(default_factory=dict[str, Json])
    sticky: list[tuple[str, Json]] = field(default_factory=list["tuple[str, Json]"])
    # Whether another extension keeps agents out of the page just now.
    barred: bool = False
    held: list[Command] = field(default_factory=list[Command])
    told: Told = field(default_factory=Told)
    handles: Handles = field(default_factory=Handles)
    used_at: float = 0.0
    drawing: bool = False
    clients_screencast: bool = False
    # The alias that holds requests, if one does: Playwright's own session would let them go on at once.
    holding: str | None = None

    @property
    def target_id(self) -> str:
        return str(self.target.get("targetId", ""))

    def debuggee(self, child: str | None) -> Json:
        return {"tabId": self.id} if child is None else {"tabId": self.id, "sessionId": child}

    def remember(self, method: str, params: Json) -> None:
        """What set the session up; what was switched off again did not."""
        domain, _, verb = method.partition(".")
        if verb == "disable":
            self.sticky = [one for one in self.sticky if one[0] != f"{domain}.enable"]
        elif (method, params) not in self.sticky:
            self.sticky.append((method, params))

    def forget_page(self) -> None:
        """The debugger is off, and Playwright is not to be told when it is on again."""
        self.children.clear()
        self.sticky.clear()
        self.told.clear()

    def hearers(self, child: str | None, method: str) -> list[str]:
        """Every session of the client that is to be told of an event."""
        if method == "Fetch.requestPaused" and self.holding is not None and self.holding in self.aliases:
            return [self.holding]
        return self.sessions_of(child)

    def sessions_of(self, child: str | None) -> list[str]:
        """Every session of the client that hears what happens there."""
        main = self.session if child is None else child
        return [main, *(alias for alias, of in self.aliases.items() if of == child)]
