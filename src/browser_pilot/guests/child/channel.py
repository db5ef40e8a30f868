"""The child's end of the line to the hub: JSON lines on two pipes, and how much a guest may send.

Nothing else leaves the process. What a guest sends is counted from request to request; too much ends it.
"""

from __future__ import annotations

import json
import os
import select
from typing import Any

INPUT, OUTPUT = 0, 1
_CHUNK = 1 << 16
# What a message costs the hub whatever is in it, so that many small ones are too much as well.
_EACH = 100


class LimitExceeded(Exception):
    """The guest is to be ended; ``what`` names the limit."""

    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what = what


class HubGone(Exception):
    """The hub has closed the line: end."""


class Channel:
    """``seen`` counts the request lines that were given to the guest."""

    def __init__(self) -> None:
        self._most: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self._chunks: list[bytes] = []
        self._messages: list[dict[str, Any]] = []
        self._poll = select.poll()
        self._poll.register(INPUT, select.POLLIN)
        self.seen = 0

    def limit(self, *, output_bytes: int, log_bytes: int, host_requests: int) -> None:
        """What the guest may send from here on, from one request to the next."""
        self._most = {"output": output_bytes, "log": log_bytes, "host requests": host_requests}
        self._used = dict.fromkeys(self._most, 0)

    def receive(self, timeout_seconds: float | None = None, *, only: str | None = None) -> dict[str, Any] | None:
        """The next message, or the next of a type; None when none came in time."""
        while True:
            for index, message in enumerate(self._messages):
                if only is None or message["type"] == only:
                    return self._take(index)
            if timeout_seconds is not None and not self._poll.poll(max(0, int(timeout_seconds * 1000))):
                return None
            self._read()

    def line(self, text: str) -> None:
        """Lines of the guest's own output."""
        for line in text.split("\n"):
            if line.strip():
                self._charge("output", len(line) + _EACH)
                self.send({"type": "line", "text": line})

    def log(self, level: str, text: str) -> None:
        """What is too much is left out, and said once."""
        left = self._most["log"] - self._used["log"]
        if left < 0:
            return
        self._used["log"] += len(text) + _EACH
        self.send({"type": "log", "level": level, "text": text[:left] if len(text) <= left else text[:left] + " […]"})

    def host_request(self, request_id: int, method: object, params: object) -> None:
        self._charge("host requests", 1)
        message = {"type": "host_request", "id": request_id, "method": method, "params": params}
        self._charge("output", len(json.dumps(message)))
        self.send(message)

    def idle(self) -> None:
        """The guest waits for the next line and nothing else: what it has not answered by now, it never will."""
        self.send({"type": "idle", "seen": self.seen})

    def send(self, message: dict[str, Any]) -> None:
        data = memoryview(json.dumps(message).encode() + b"\n")
        while data:
            data = data[os.write(OUTPUT, data) :]

    def _charge(self, what: str, amount: int) -> None:
        self._used[what] += amount
        if self._used[what] > self._most[what]:
            raise LimitExceeded("output", f"too many {what}" if what == "host requests" else "too much output")

    def _take(self, index: int) -> dict[str, Any]:
        message = self._messages.pop(index)
        if message["type"] == "line":
            self.seen += 1
            self._used = dict.fromkeys(self._used, 0)
        return message

    def _read(self) -> None:
        data = os.read(INPUT, _CHUNK)
        if not data:
            raise HubGone
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = b"".join((*self._chunks, whole[0]))
            self._chunks = []
            self._messages.extend(json.loads(line) for line in whole)
        if rest:
            self._chunks.append(rest)
