"""`browser-pilot approvals --watch`: shows pending approvals on a terminal and reads decisions from the keyboard.

Two threads, one for the hub's event stream and one for the keyboard, put messages into a queue; the main thread draws.
In a pipe it prints one line per event and reads no keys. When the hub stops, it waits for the next one.
"""

from __future__ import annotations

import contextlib
import http.client
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from browser_pilot.approvals.models import ALLOWING_CHOICES
from browser_pilot.cli.commands.approvals import ShownApproval, send_decision
from browser_pilot.errors import PilotError
from browser_pilot.hub_discovery.runtime_file import read_runtime

from .output import out

RECONNECT_SECONDS = 1.0
# The hub sends a keep-alive at least every 15 seconds.
READ_TIMEOUT_SECONDS = 40.0
# A key pressed this soon after another approval appeared was meant for the previous one.
KEY_GUARD_SECONDS = 0.7
MAX_PAST_EVENTS = 5
NEXT_PAGE, PREVIOUS_PAGE = "n", "p"
# Lines and columns of the panel that are not details of the approval.
FRAME_LINES, FRAME_COLUMNS = 20, 8
MIN_PAGE_LINES = 3

KEYS: dict[str, tuple[str, str]] = {
    "a": ("once", "allow once"),
    "s": ("session", "this session"),
    "w": ("always", "always on this site"),
    "d": ("deny", "deny"),
    "b": ("block", "deny and block"),
}
RISK_STYLES = {"low": "blue", "medium": "yellow", "high": "bold red"}


class ShownDecision(BaseModel):
    choice: str
    door: str


class ShownEvent(BaseModel):
    event: Literal["asked", "answered", "expired", "withdrawn"]
    question: ShownApproval
    answer: ShownDecision | None = None

    def summary(self) -> str:
        how = self.event if self.answer is None else f"{self.answer.choice} ({self.answer.door})"
        return f"{self.question.id}  {self.question.title}: {how}"


class ApprovalsView:
    """The state of the display. Pure: the caller passes events and the time.

    Details that do not fit are in pages. An approval can be allowed only after all of them were shown.
    """

    def __init__(self, width: int = 80, height: int = 24) -> None:
        self.connected = False
        self._columns = max(20, width - FRAME_COLUMNS)
        self._page_lines = max(MIN_PAGE_LINES, height - FRAME_LINES)
        self._page = 0
        self._pages_seen: set[int] = {0}
        self._pending: dict[str, ShownApproval] = {}
        self._past_events: list[str] = []
        self._shown: str | None = None
        self._shown_since = 0.0

    @property
    def shown_approval(self) -> ShownApproval | None:
        return next(iter(self._pending.values()), None)

    def set_connected(self, connected: bool, now: float) -> None:
        """A new connection starts with the approvals that are pending then."""
        self.connected = connected
        self._pending.clear()
        self._update_shown(now)

    def apply(self, event: ShownEvent, now: float) -> None:
        if event.event == "asked":
            self._pending[event.question.id] = event.question
        else:
            self._pending.pop(event.question.id, None)
            self.add_message(event.summary())
        self._update_shown(now)

    def add_message(self, line: str) -> None:
        self._past_events = [*self._past_events, line][-MAX_PAST_EVENTS:]

    def decision_for_key(self, key: str, now: float) -> tuple[str, str] | None:
        """The approval's id and the choice for a key, if the key is valid now."""
        approval = self.shown_approval
        if approval is None or key not in KEYS or now - self._shown_since < KEY_GUARD_SECONDS:
            return None
        choice = KEYS[key][0]
        if choice == "once" and choice not in approval.choices:
            choice = "session"
        if choice in ALLOWING_CHOICES and self._unread_pages(approval):
            return None
        return (approval.id, choice) if choice in approval.choices else None

    def turn_page(self, key: str) -> None:
        approval = self.shown_approval
        if approval is not None and key in (NEXT_PAGE, PREVIOUS_PAGE):
            last = len(self._pages(approval)) - 1
            self._page = min(last, max(0, self._page + (1 if key == NEXT_PAGE else -1)))
            self._pages_seen.add(self._page)

    def _pages(self, approval: ShownApproval) -> list[list[str]]:
        lines = [line for detail in approval.details for line in _wrapped(detail, self._columns)]
        starts = range(0, max(1, len(lines)), self._page_lines)
        return [lines[start : start + self._page_lines] for start in starts]

    def _unread_pages(self, approval: ShownApproval) -> int:
        return len(set(range(len(self._pages(approval)))) - self._pages_seen)

    def render(self, now: float, epoch_now: float) -> RenderableType:
        parts: list[RenderableType] = []
        if not self.connected:
            parts.append(Text("○ No hub is running; waiting for one.", style="yellow"))
        elif self.shown_approval is None:
            parts.append(Text("● Connected. No approvals are pending.", style="green"))
        else:
            parts.append(self._panel(self.shown_approval, now, epoch_now))
        if len(self._pending) > 1:
            parts.append(Text(f"and {len(self._pending) - 1} more", style="yellow"))
        parts.extend(Text(line, style="dim") for line in self._past_events)
        parts.append(Text("Press q to quit; pending approvals stay pending.", style="dim"))
        return Group(*parts)

    def _panel(self, approval: ShownApproval, now: float, epoch_now: float) -> Panel:
        body = Text()
        body.append(f"{approval.title}\n", style="bold")
        body.append(f"{approval.risk.upper()} RISK\n\n", style=RISK_STYLES.get(approval.risk, "bold"))
        pages = self._pages(approval)
        for line in pages[self._page]:
            body.append(f"{line}\n")
        if len(pages) > 1:
            body.append(f"Page {self._page + 1} of {len(pages)}: ", style="yellow")
            body.append(f"{NEXT_PAGE} next page, {PREVIOUS_PAGE} previous page. ", style="yellow")
            unread = "Read all pages to allow it." if self._unread_pages(approval) else ""
            body.append(f"{unread}\n", style="yellow")
        body.append(f"Reason: {approval.reason}\n")
        body.append(f"Rule: {approval.rule}\n", style="dim")
        body.append(f"Requested by {approval.client_name} with {approval.tool}\n\n", style="dim")
        for key, (choice, label) in KEYS.items():
            ready = self.decision_for_key(key, now) is not None
            if choice in approval.choices:
                body.append(f" {key} ", style="reverse" if ready else "dim")
                label = approval.labels.get(choice) or (approval.always_label if choice == "always" else "") or label
                body.append(f" {label}   ", style="" if ready else "dim")
        if approval.undo_always:
            body.append(f"\n“Always” can be undone with `{approval.undo_always}`.", style="dim")
        seconds_left = max(0, approval.expires_at - epoch_now)
        return Panel(
            body, title="Approval needed", subtitle=f"{seconds_left:.0f} s left", border_style="yellow", padding=(1, 2)
        )

    def _update_shown(self, now: float) -> None:
        shown = None if self.shown_approval is None else self.shown_approval.id
        if shown != self._shown:
            self._shown, self._shown_since = shown, now
            self._page, self._pages_seen = 0, {0}


def _wrapped(text: str, columns: int) -> list[str]:
    """By the width of the characters in a terminal, so that no line takes two."""
    return [line.plain for line in Text(text, overflow="fold").wrap(out, columns, justify="left")] or [""]


WatchMessage = tuple[Literal["connected"], bool] | tuple[Literal["event"], str] | tuple[Literal["key"], str]
MessageQueue = queue.Queue[WatchMessage]


def watch_approvals(home: Path, *, as_json: bool) -> None:
    messages: MessageQueue = queue.Queue()
    threading.Thread(target=_read_events, args=(home, messages), daemon=True).start()
    if as_json or not (sys.stdin.isatty() and out.is_terminal):
        _print_lines(messages, as_json=as_json)
    else:
        _draw(home, messages)


def _print_lines(messages: MessageQueue, *, as_json: bool) -> None:
    while True:
        kind, content = messages.get()
        if kind == "event":
            out.out(content if as_json else ShownEvent.model_validate_json(str(content)).summary(), highlight=False)
        elif kind == "connected" and not as_json:
            out.out("connected" if content else "no hub is running; waiting for one", highlight=False)
        sys.stdout.flush()


def _draw(home: Path, messages: MessageQueue) -> None:
    view = ApprovalsView(out.width, out.height)
    with _raw_keys() as read_key:
        threading.Thread(target=_read_keys, args=(read_key, messages), daemon=True).start()
        with Live(view.render(time.monotonic(), time.time()), console=out, auto_refresh=False, screen=True) as live:
            while True:
                try:
                    kind, content = messages.get(timeout=KEY_GUARD_SECONDS)
                except queue.Empty:
                    kind, content = "tick", ""
                now = time.monotonic()
                if kind == "key" and content in ("q", "\x03", "\x04", ""):
                    return
                if kind == "key":
                    view.turn_page(str(content))
                    _decide(home, view, str(content), now)
                elif kind == "event":
                    view.apply(ShownEvent.model_validate_json(str(content)), now)
                elif kind == "connected":
                    view.set_connected(bool(content), now)
                live.update(view.render(now, time.time()), refresh=True)


def _decide(home: Path, view: ApprovalsView, key: str, now: float) -> None:
    decision = view.decision_for_key(key, now)
    if decision is not None:
        try:
            send_decision(home, *decision)
        except PilotError as error:
            view.add_message(error.message)


def _read_events(home: Path, messages: MessageQueue) -> None:
    """Read the hub's events forever, and reconnect when the hub restarts."""
    pause = threading.Event()
    disconnect_unreported = True
    while True:
        for message in _connect(home):
            disconnect_unreported = True
            messages.put(message)
        if disconnect_unreported:
            messages.put(("connected", False))
            disconnect_unreported = False
        pause.wait(RECONNECT_SECONDS)


def _connect(home: Path) -> Generator[WatchMessage]:
    """Yields that the hub has accepted the subscription, then its events; ends with the connection."""
    info = read_runtime(home)
    if info is None:
        return
    connection = http.client.HTTPConnection(info.host, info.port, timeout=READ_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/api/approvals/events", headers={"Authorization": f"Bearer {info.token}"})
        response = connection.getresponse()
        if response.status != http.HTTPStatus.OK:
            return
        response.readline()
        yield "connected", True
        while line := response.readline():
            if line.startswith(b"data: "):
                yield "event", line.removeprefix(b"data: ").decode().strip()
    except (OSError, http.client.HTTPException):
        return
    finally:
        connection.close()


def _read_keys(read_key: Callable[[], str], messages: MessageQueue) -> None:
    while True:
        key = read_key()
        messages.put(("key", key.lower()))
        if not key:
            return


if sys.platform == "win32":
    import msvcrt

    @contextlib.contextmanager
    def _raw_keys() -> Generator[Callable[[], str]]:
        yield msvcrt.getwch

else:
    import termios
    import tty

    @contextlib.contextmanager
    def _raw_keys() -> Generator[Callable[[], str]]:
        """Reads single keys without Enter; restores the terminal afterwards."""
        before = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
        try:
            yield lambda: sys.stdin.read(1)
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
