"""The smallest client of the Chrome DevTools Protocol: one browser, one pipe, one command at a time.

Commands may be sent ahead and their replies read later. Events are kept only while somebody waits for them.
"""

from __future__ import annotations

import fcntl
import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from ..processes import Den
from ..rpc import DEADLINE_SECONDS, CallFailed, JsonObject

_COMMANDS, _REPLIES = 3, 4
_FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-gpu",
    "--window-size=1280,720",
)


class CdpPipe:
    def __init__(self, executable: str, args: Sequence[str], profile: Path, den: Den) -> None:
        command_end, self._commands = os.pipe()
        self._replies, reply_end = os.pipe()

        def place_pipes() -> None:
            # Chromium reads commands from descriptor 3 and writes replies to 4; ours may sit on those numbers.
            source = fcntl.fcntl(command_end, fcntl.F_DUPFD, _REPLIES + 1)
            target = fcntl.fcntl(reply_end, fcntl.F_DUPFD, _REPLIES + 1)
            os.dup2(source, _COMMANDS)
            os.dup2(target, _REPLIES)
            os.close(source)
            os.close(target)

        self.process = subprocess.Popen(
            [executable, *_FLAGS, *args, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=den.environ(),
            close_fds=False,
            preexec_fn=place_pipes,
        )
        os.close(command_end)
        os.close(reply_end)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._replies, selectors.EVENT_READ)
        self._buffer = bytearray()
        self._last_id = 0
        self._answers: dict[int, JsonObject] = {}
        self._events: list[JsonObject] = []

    def send(self, method: str, params: JsonObject, session: str | None = None) -> int:
        self._last_id += 1
        message: JsonObject = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message, separators=(",", ":")).encode() + b"\0")
        return self._last_id

    def receive(self, number: int, *, deadline_seconds: float = DEADLINE_SECONDS) -> JsonObject:
        deadline = time.monotonic() + deadline_seconds
        while number not in self._answers:
            self._read(deadline)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise CallFailed(json.dumps(answer["error"])[:300])
        return cast(JsonObject, answer["result"])

    def call(self, method: str, params: JsonObject | None = None, session: str | None = None) -> JsonObject:
        return self.receive(self.send(method, params or {}, session))

    def forget_events(self) -> None:
        self._events.clear()

    def wait_for_event(self, method: str, session: str, *, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        deadline = time.monotonic() + deadline_seconds
        while not any(e.get("method") == method and e.get("sessionId") == session for e in self._events):
            self._read(deadline)

    def close(self) -> None:
        try:
            self.call("Browser.close")
        except (CallFailed, OSError):
            self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._selector.close()
        os.close(self._commands)
        os.close(self._replies)

    def _read(self, deadline: float) -> None:
        if not self._selector.select(max(0.0, deadline - time.monotonic())):
            raise CallFailed("CDP: no answer in time")
        chunk = os.read(self._replies, 1 << 20)
        if not chunk:
            raise CallFailed("CDP: the browser is gone")
        self._buffer += chunk
        *messages, rest = self._buffer.split(b"\0")
        self._buffer = bytearray(rest)
        for raw in messages:
            message = cast(JsonObject, json.loads(raw))
            if "id" in message:
                self._answers[cast(int, message["id"])] = message
            else:
                self._events.append(message)
