"""`browser-pilot approvals --watch`: a terminal that shows each question large, and answers it by a key.

Two threads feed one mailbox, the hub's stream and the keyboard; the main thread draws. In a pipe it prints a line per
event and reads no keys. It outlives the hub: when that ends, it waits for the next one.
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

from ..errors import PilotError
from ..runtime import read_runtime
from .approvals import ShownQuestion, answer
from .output import out

RECONNECT_SECONDS = 1.0
# The hub says something at least every 15 seconds.
SILENT_SECONDS = 40.0
# A key that comes this soon after the question changed was meant for the one before.
SETTLE_SECONDS = 0.7
REMEMBERED = 5

KEYS: dict[str, tuple[str, str]] = {
    "a": ("once", "allow once"),
    "s": ("session", "this session"),
    "w": ("always", "always on this site"),
    "d": ("deny", "deny"),
    "b": ("block", "deny and block"),
}
RISK_STYLES = {"low": "blue", "medium": "yellow", "high": "bold red"}


class ShownAnswer(BaseModel):
    choice: str
    door: str


class ShownEvent(BaseModel):
    event: Literal["asked", "answered", "expired", "withdrawn"]
    question: ShownQuestion
    answer: ShownAnswer | None = None

    def in_words(self) -> str:
        how = self.event if self.answer is None else f"{self.answer.choice} ({self.answer.door})"
        return f"{self.question.id}  {self.question.title}: {how}"


class View:
    """What the terminal shows. Pure: it is told what happens, and when."""

    def __init__(self) -> None:
        self.connected = False
        self._open: dict[str, ShownQuestion] = {}
        self._past: list[str] = []
        self._shown: str | None = None
        self._shown_since = 0.0

    @property
    def question(self) -> ShownQuestion | None:
        return next(iter(self._open.values()), None)

    def connect(self, connected: bool, now: float) -> None:
        """A new connection starts from the questions that are open then."""
        self.connected = connected
        self._open.clear()
        self._note_change(now)

    def take(self, event: ShownEvent, now: float) -> None:
        if event.event == "asked":
            self._open[event.question.id] = event.question
        else:
            self._open.pop(event.question.id, None)
            self.note(event.in_words())
        self._note_change(now)

    def note(self, line: str) -> None:
        self._past = [*self._past, line][-REMEMBERED:]

    def press(self, key: str, now: float) -> tuple[str, str] | None:
        """The question's id and the choice that a key means, if it means one now."""
        question = self.question
        if question is None or key not in KEYS or now - self._shown_since < SETTLE_SECONDS:
            return None
        choice = KEYS[key][0]
        if choice == "once" and choice not in question.choices:
            choice = "session"
        return (question.id, choice) if choice in question.choices else None

    def render(self, now: float, wall: float) -> RenderableType:
        parts: list[RenderableType] = []
        if not self.connected:
            parts.append(Text("○ No hub is running; waiting for one.", style="yellow"))
        elif self.question is None:
            parts.append(Text("● Watching. Nothing waits for your answer.", style="green"))
        else:
            parts.append(self._panel(self.question, now, wall))
        if len(self._open) > 1:
            parts.append(Text(f"and {len(self._open) - 1} more", style="yellow"))
        parts.extend(Text(line, style="dim") for line in self._past)
        parts.append(Text("q ends this view; it answers nothing.", style="dim"))
        return Group(*parts)

    def _panel(self, question: ShownQuestion, now: float, wall: float) -> Panel:
        body = Text()
        body.append(f"{question.title}\n", style="bold")
        body.append(f"{question.risk.upper()} RISK\n\n", style=RISK_STYLES.get(question.risk, "bold"))
        for number, step in enumerate(question.steps, 1):
            body.append(f"{number}. {step}\n")
        for name, value in question.values.items():
            body.append(f"{name}: {value}\n")
        body.append(f"Why: {question.reason}\n")
        body.append(f"Rule: {question.rule}\n", style="dim")
        body.append(f"Asked by {question.client_name} with {question.tool}\n\n", style="dim")
        ready = now - self._shown_since >= SETTLE_SECONDS
        for key, (choice, label) in KEYS.items():
            if choice in question.choices:
                body.append(f" {key} ", style="reverse" if ready else "dim")
                body.append(f" {question.labels.get(choice, label)}   ", style="" if ready else "dim")
        left = max(0, question.expires_at - wall)
        return Panel(body, title="Needs you", subtitle=f"{left:.0f} s", border_style="yellow", padding=(1, 2))

    def _note_change(self, now: float) -> None:
        shown = None if self.question is None else self.question.id
        if shown != self._shown:
            self._shown, self._shown_since = shown, now


Message = tuple[Literal["connected"], bool] | tuple[Literal["event"], str] | tuple[Literal["key"], str]
Mailbox = queue.Queue[Message]


def watch_questions(home: Path, *, as_json: bool) -> None:
    mailbox: Mailbox = queue.Queue()
    threading.Thread(target=_read_stream, args=(home, mailbox), daemon=True).start()
    if as_json or not (sys.stdin.isatty() and out.is_terminal):
        _print_lines(mailbox, as_json=as_json)
    else:
        _draw(home, mailbox)


def _print_lines(mailbox: Mailbox, *, as_json: bool) -> None:
    while True:
        kind, content = mailbox.get()
        if kind == "event":
            out.out(content if as_json else ShownEvent.model_validate_json(str(content)).in_words(), highlight=False)
        elif kind == "connected" and not as_json:
            out.out("watching" if content else "no hub is running; waiting for one", highlight=False)
        sys.stdout.flush()


def _draw(home: Path, mailbox: Mailbox) -> None:
    view = View()
    with _keys() as read_key:
        threading.Thread(target=_read_keys, args=(read_key, mailbox), daemon=True).start()
        with Live(view.render(time.monotonic(), time.time()), console=out, auto_refresh=False, screen=True) as live:
            while True:
                try:
                    kind, content = mailbox.get(timeout=SETTLE_SECONDS)
                except queue.Empty:
                    kind, content = "tick", ""
                now = time.monotonic()
                if kind == "key" and content in ("q", "\x03", "\x04", ""):
                    return
                if kind == "key":
                    _answer(home, view, str(content), now)
                elif kind == "event":
                    view.take(ShownEvent.model_validate_json(str(content)), now)
                elif kind == "connected":
                    view.connect(bool(content), now)
                live.update(view.render(now, time.time()), refresh=True)


def _answer(home: Path, view: View, key: str, now: float) -> None:
    pressed = view.press(key, now)
    if pressed is not None:
        try:
            answer(home, *pressed)
        except PilotError as error:
            view.note(error.message)


def _read_stream(home: Path, mailbox: Mailbox) -> None:
    """Keep reading the hub's events, from whichever hub runs."""
    pause = threading.Event()
    lost = True
    while True:
        for message in _messages(home):
            lost = True
            mailbox.put(message)
        if lost:
            mailbox.put(("connected", False))
            lost = False
        pause.wait(RECONNECT_SECONDS)


def _messages(home: Path) -> Generator[Message]:
    """First that the hub counts us as present, then its events; ends when the hub does."""
    info = read_runtime(home)
    if info is None:
        return
    connection = http.client.HTTPConnection(info.host, info.port, timeout=SILENT_SECONDS)
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


def _read_keys(read_key: Callable[[], str], mailbox: Mailbox) -> None:
    while True:
        key = read_key()
        mailbox.put(("key", key.lower()))
        if not key:
            return


if sys.platform == "win32":
    import msvcrt

    @contextlib.contextmanager
    def _keys() -> Generator[Callable[[], str]]:
        yield msvcrt.getwch

else:
    import termios
    import tty

    @contextlib.contextmanager
    def _keys() -> Generator[Callable[[], str]]:
        """Single keys as they are pressed, without Enter; the terminal is put back afterwards."""
        before = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
        try:
            yield lambda: sys.stdin.read(1)
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
