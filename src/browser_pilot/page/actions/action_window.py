"""The time in which what happens on a page counts as the effect of an action. Pure: the time is passed in.

A request, a socket message or a navigation belongs to an action when it begins while input is sent, or shortly after
the input or an earlier effect of it. A window opens with the action and closes with its outcome; that of a navigation
may be left open for a while, so that the next read waits for what the page still loads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from playwright.async_api import Request

from .outcome import NewTab, StartedDownload

# An event handler, a promise or a short chain of them sends its request well within this time.
CAUSALITY_WINDOW_SECONDS = 0.15


class WindowState(Enum):
    OPEN = auto()  # what begins shortly after the last event belongs to the action
    SENDING_INPUT = auto()  # everything that begins belongs to the action
    LEFT_OPEN = auto()  # the action has returned; the next read waits for the rest
    CLOSED = auto()


@dataclass(slots=True, eq=False)
class ActionWindow:
    """``documents`` and ``url`` are those at the start. ``caused`` are requests with the deadline of waiting for each.

    ``navigations`` are the main frame's requests in flight, ``document_requests`` all of them since the start.
    ``requested_url`` is the latest document that was requested, ``proxy_response_url`` one that the proxy responded to
    in place of the server. ``opening`` are URLs of tabs that the page requested and that are not there yet.
    """

    last_event: float
    documents: int
    url: str
    state: WindowState = WindowState.OPEN
    caused: dict[Request, float] = field(default_factory=dict[Request, float])
    navigations: list[Request] = field(default_factory=list[Request])
    document_requests: set[Request] = field(default_factory=set[Request])
    tabs: list[NewTab] = field(default_factory=list[NewTab])
    downloads: list[StartedDownload] = field(default_factory=list[StartedDownload])
    opening: list[str] = field(default_factory=list[str])
    navigation_pending: bool = False
    # When a socket message was sent that has had no reply yet.
    socket_sent: float | None = None
    status: int | None = None
    requested_url: str | None = None
    proxy_response_url: str | None = None

    def begin_input(self) -> None:
        """Input is being sent."""
        self.state = WindowState.SENDING_INPUT

    def end_input(self, now: float) -> None:
        """The page has handled the input; its effects begin shortly."""
        self.state = WindowState.OPEN
        self.last_event = now

    def note_effect(self, now: float) -> None:
        """An effect of the action has happened and may have further effects."""
        self.last_event = now

    def leave_open(self) -> None:
        self.state = WindowState.LEFT_OPEN

    @property
    def has_returned(self) -> bool:
        """Whether the result of the action has been made."""
        return self.state in (WindowState.LEFT_OPEN, WindowState.CLOSED)

    def close(self) -> None:
        self.state = WindowState.CLOSED

    def covers(self, now: float) -> bool:
        """Whether something that begins now is an effect of the action."""
        return self.state is WindowState.SENDING_INPUT or now - self.last_event <= CAUSALITY_WINDOW_SECONDS
