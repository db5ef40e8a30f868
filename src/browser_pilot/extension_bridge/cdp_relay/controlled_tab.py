"""A controlled tab: one tab of the user's browser that an agent may use, as the relay sees it.

Holds the state of one tab and nothing that talks to the browser. ``AttachState`` says whether the debugger is attached
and whether Playwright knows the tab; ``ControlledTab.transition`` is the only place that changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

from browser_pilot.extension_bridge.extension_connection import Reply
from browser_pilot.json_types import JsonObject

from .frame_state import FrameState
from .remote_object_ids import RemoteObjectIds

if TYPE_CHECKING:
    from .cdp_client import CdpClient

TabKind = Literal["shared", "agent"]


class AttachState(Enum):
    """Playwright believes a suspended tab to be attached: the next command reattaches it."""

    UNATTACHED = "unattached"
    ATTACHED = "attached"
    SUSPENDED = "suspended"


class AttachEvent(Enum):
    """What changes the state: the debugger was attached for the first time, was detached, was attached again; or the
    tab was taken from its client, for which it no longer exists.
    """

    ATTACHED = "attached"
    DETACHED = "detached"
    REATTACHED = "reattached"
    RELEASED = "released"


_TRANSITIONS: dict[tuple[AttachState, AttachEvent], AttachState] = {
    (AttachState.UNATTACHED, AttachEvent.ATTACHED): AttachState.ATTACHED,
    (AttachState.ATTACHED, AttachEvent.DETACHED): AttachState.SUSPENDED,
    (AttachState.SUSPENDED, AttachEvent.REATTACHED): AttachState.ATTACHED,
    (AttachState.ATTACHED, AttachEvent.RELEASED): AttachState.UNATTACHED,
    (AttachState.SUSPENDED, AttachEvent.RELEASED): AttachState.UNATTACHED,
}


@dataclass(frozen=True, slots=True)
class Command:
    """One CDP command for a tab, or for a frame or worker in it (``child``, its session)."""

    method: str
    params: JsonObject
    child: str | None
    reply: Reply


@dataclass(eq=False, slots=True)
class ControlledTab:
    """``claimable`` while any client may take it."""

    id: int
    kind: TabKind
    since: float
    opener: int | None
    claimable: bool
    session: str
    owner: CdpClient | None = None
    target_info: JsonObject = field(default_factory=dict[str, Any])
    url: str = ""
    aliases: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    children: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    setup_commands: list[tuple[str, JsonObject]] = field(default_factory=list["tuple[str, JsonObject]"])
    # Whether Chrome keeps us out of the page because of another extension's frame in it.
    barred: bool = False
    # The id of a frame that is loading another extension's page: the debugger must not auto-attach to it.
    extension_frame: str | None = None
    held_commands: list[Command] = field(default_factory=list[Command])
    frame_state: FrameState = field(default_factory=FrameState)
    object_ids: RemoteObjectIds = field(default_factory=RemoteObjectIds)
    used_at: float = 0.0
    screencasting: bool = False
    client_screencasts: bool = False
    # The further session that enabled Fetch, if one did: Playwright's main session would continue requests at once.
    fetch_session: str | None = None
    _state: AttachState = AttachState.UNATTACHED

    @property
    def state(self) -> AttachState:
        return self._state

    def transition(self, event: AttachEvent) -> bool:
        """Change the state. False, and no change, when the event does not apply to the present state: it comes late.

        Nothing yields between the check and the assignment, so that no reply or event is lost in between.
        """
        to = _TRANSITIONS.get((self._state, event))
        if to is None:
            return False
        self._state = to
        return True

    @property
    def target_id(self) -> str:
        return str(self.target_info.get("targetId", ""))

    def debuggee(self, child: str | None) -> JsonObject:
        return {"tabId": self.id} if child is None else {"tabId": self.id, "sessionId": child}

    def record_setup(self, method: str, params: JsonObject) -> None:
        """Record a command that sets the session up, for the next reattach; ``disable`` cancels its ``enable``."""
        domain, _, verb = method.partition(".")
        if verb == "disable":
            self.setup_commands = [one for one in self.setup_commands if one[0] != f"{domain}.enable"]
        elif (method, params) not in self.setup_commands:
            self.setup_commands.append((method, params))

    def clear_page(self) -> None:
        """Drop everything about the page: the debugger is detached, and a later attach starts afresh."""
        self.children.clear()
        self.setup_commands.clear()
        self.frame_state.clear()
        self.extension_frame = None

    def event_sessions(self, child: str | None, method: str) -> list[str]:
        """The client's sessions that get an event."""
        if method == "Fetch.requestPaused" and self.fetch_session is not None and self.fetch_session in self.aliases:
            return [self.fetch_session]
        return self.sessions_of(child)

    def sessions_of(self, child: str | None) -> list[str]:
        """The client's sessions on the tab, or on a frame or worker in it."""
        main = self.session if child is None else child
        return [main, *(alias for alias, of in self.aliases.items() if of == child)]
