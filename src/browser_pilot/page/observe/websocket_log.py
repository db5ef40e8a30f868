"""One WebSocket of a page for the network log, with its newest frames, in bounds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import WebSocket

from browser_pilot.safe_text import sanitize

MAX_FRAMES = 50
MAX_FRAME_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class WebSocketFrame:
    """``text`` is the beginning; empty for a binary frame. ``size`` is in characters, or in bytes if it is binary."""

    direction: Literal["sent", "received"]
    at: float
    size: int
    text: str
    is_binary: bool


@dataclass(slots=True)
class WebSocketConnection:
    """In the log like a request, as long as that keeps it. Frames before the newest ``MAX_FRAMES`` are only counted."""

    number: int
    at: float
    url: str
    method: str = "GET"
    type: str = "websocket"
    status: int | None = None
    failure: str | None = None
    duration_ms: int | None = None
    sent: int = 0
    received: int = 0
    frames: deque[WebSocketFrame] = field(default_factory=lambda: deque[WebSocketFrame](maxlen=MAX_FRAMES))

    @property
    def frames_dropped(self) -> int:
        return self.sent + self.received - len(self.frames)

    @property
    def state(self) -> str:
        state = self.failure or ("open" if self.duration_ms is None else "closed")
        return f"{state}: {self.sent} sent {self.received} received"

    def listen(self, socket: WebSocket, on_change: Callable[[], None]) -> None:
        """Follow the connection until it is closed."""

        def add(direction: Literal["sent", "received"], payload: str | bytes) -> None:
            is_binary = isinstance(payload, bytes)
            text = "" if isinstance(payload, bytes) else sanitize(payload[:MAX_FRAME_CHARACTERS])
            self.frames.append(WebSocketFrame(direction, time.time(), len(payload), text, is_binary))
            if direction == "sent":
                self.sent += 1
            else:
                self.received += 1
            on_change()

        def on_close(_: WebSocket) -> None:
            self.duration_ms = max(0, int((time.time() - self.at) * 1000))
            on_change()

        def on_error(message: str) -> None:
            self.failure = sanitize(message[:MAX_FRAME_CHARACTERS]) or "failed"
            on_change()

        socket.on("framesent", lambda payload: add("sent", payload))
        socket.on("framereceived", lambda payload: add("received", payload))
        socket.on("close", on_close)
        socket.on("socketerror", on_error)
