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
    """The state of the display. Pure: the caller passes events and the time."""

    def __init__(self) -> None:
        self.connected = False
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
        return (approval.id, choice) if choice in approval.choices else None

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
        for number, step in enumerate(approval.steps, 1):
            body.append(f"{number}. {step}\n")
        for name, value in approval.values.items():
            body.append(f"{name}: {value}\n")
        body.append(f"Reason: {approval.reason}\n")
        body.append(f"Rule: {approval.rule}\n", style="dim")
        body.append(f"Requested by {approval.client_name} with {approval.tool}\n\n", style="dim")
        ready = now - self._shown_since >= KEY_GUARD_SECONDS
        for key, (choice, label) in KEYS.items():
            if choice in approval.choices:
                body.append(f" {key} ", style="reverse" if ready else "dim")
                body.append(f" {approval.labels.get(choice, label)}   ", style="" if ready else "dim")
        seconds_left = max(0, approval.expires_at - epoch_now)
        return Panel(
            body, title="Approval needed", subtitle=f"{seconds_left:.0f} s left", border_style="yellow", padding=(1, 2)
        )

    def _update_shown(self, now: float) -> None:
        shown = None if self.shown_approval is None else self.shown_approval.id
        if shown != self._shown:
            self._shown, self._shown_since = shown, now


Message = tuple[Literal["connected"], bool] | tuple[Literal["event"], str] | tuple[Literal["key"], str]
MessageQueue = queue.Queue[Message]


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
    view = ApprovalsView()
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


def _connect(home: Path) -> Generator[Message]:
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
