"""The child's connection to the hub: JSON lines on two pipes, with limits on what a guest may send.

Nothing else leaves the process. Output is counted from one request to the next; a guest that exceeds a limit ends.
"""

from __future__ import annotations

import json
import os
import select
import threading
from typing import Any

INPUT, OUTPUT = 0, 1
_CHUNK = 1 << 16
# The hub's cost of any message, counted so that many small ones reach the limit too.
_MESSAGE_COST_BYTES = 100
_MAX_SEND_SECONDS = 10.0


class GuestTerminated(Exception):
    """Ends the guest; ``cause`` names the limit or the kind of failure."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


class HubDisconnected(Exception):
    """The hub has closed the connection."""


class Channel:
    """``lines_delivered`` counts the request lines that the guest has received; ``call`` is that of the last one.

    A ping is responded to here, whenever the guest lets its process read.
    """

    def __init__(self) -> None:
        self._limits: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self._partial_line: list[bytes] = []
        self._messages: list[dict[str, Any]] = []
        self._sending = threading.Lock()
        self._is_reading = False
        self._poll = select.poll()
        self._poll.register(INPUT, select.POLLIN)
        self.lines_delivered = 0
        self.call: int | None = None

    def limit(self, *, output_bytes: int, log_bytes: int, host_requests: int) -> None:
        """Limit what the guest may send from one request to the next."""
        self._limits = {"output": output_bytes, "log": log_bytes, "host requests": host_requests}
        self._used = dict.fromkeys(self._limits, 0)

    def receive(self, timeout_seconds: float | None = None, *, only: str | None = None) -> dict[str, Any] | None:
        """The next message, or the next of one type; None at the timeout."""
        while True:
            for index, message in enumerate(self._messages):
                if only is None or message["type"] == only:
                    return self._pop(index)
            if timeout_seconds is not None and not self._poll.poll(max(0, int(timeout_seconds * 1000))):
                return None
            self._read()

    def send_line(self, text: str) -> None:
        """Send lines of the guest's output."""
        for line in text.split("\n"):
            if line.strip():
                self._charge("output", len(line) + _MESSAGE_COST_BYTES)
                self.send({"type": "line", "text": line})

    def send_log(self, level: str, text: str) -> None:
        """Send a log line; beyond the limit it is cut, and later ones are dropped."""
        left = self._limits["log"] - self._used["log"]
        if left < 0:
            return
        self._used["log"] += len(text) + _MESSAGE_COST_BYTES
        self.send({"type": "log", "level": level, "text": text[:left] if len(text) <= left else text[:left] + " […]"})

    def send_host_request(self, request_id: int, method: object, params: object, call: object) -> None:
        self._charge("host requests", 1)
        message = {"type": "host_request", "id": request_id, "method": method, "params": params, "call": call}
        self._charge("output", len(json.dumps(message)))
        self.send(message)

    def send_reading(self) -> None:
        """The guest reads requests. Sent once."""
        if not self._is_reading:
            self._is_reading = True
            self.send({"type": "reading"})

    def send_idle(self) -> None:
        """The guest waits only for the next line: calls without a response by now never get one."""
        self.send({"type": "idle", "seen": self.lines_delivered})

    def send(self, message: dict[str, Any]) -> None:
        """Any thread may call this: the one that ends the guest does."""
        data = memoryview(json.dumps(message).encode() + b"\n")
        # Without the lock after a while: a message that never leaves must not keep the guest running.
        is_locked = self._sending.acquire(timeout=_MAX_SEND_SECONDS)
        try:
            while data:
                data = data[os.write(OUTPUT, data) :]
        finally:
            if is_locked:
                self._sending.release()

    def _charge(self, what: str, amount: int) -> None:
        self._used[what] += amount
        if self._used[what] > self._limits[what]:
            raise GuestTerminated("output", f"too many {what}" if what == "host requests" else "too much output")

    def _pop(self, index: int) -> dict[str, Any]:
        message = self._messages.pop(index)
        if message["type"] == "line":
            self.lines_delivered += 1
            self.call = message.get("call")
            self._used = dict.fromkeys(self._used, 0)
        return message

    def _read(self) -> None:
        data = os.read(INPUT, _CHUNK)
        if not data:
            raise HubDisconnected
        *complete, rest = data.split(b"\n")
        if complete:
            complete[0] = b"".join((*self._partial_line, complete[0]))
            self._partial_line = []
            for line in complete:
                message = json.loads(line)
                if message["type"] == "ping":
                    self.send({**message, "type": "pong"})
                else:
                    self._messages.append(message)
        if rest:
            self._partial_line.append(rest)
