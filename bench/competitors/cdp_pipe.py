"""Minimal CDP client: one browser, one pipe.

A caller may send several commands and read their responses later. ``forget_events`` clears the stored events.
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

from bench.rpc import CALL_TIMEOUT_SECONDS, CallFailed, JsonObject
from bench.workspace import Workspace

_COMMAND_FD, _RESPONSE_FD = 3, 4
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
    def __init__(self, executable: str, args: Sequence[str], profile: Path, workspace: Workspace) -> None:
        command_end, self._command_pipe = os.pipe()
        self._response_pipe, response_end = os.pipe()

        def place_pipes() -> None:
            # Chromium reads commands from descriptor 3 and writes to 4; our pipe ends may have those numbers already.
            source = fcntl.fcntl(command_end, fcntl.F_DUPFD, _RESPONSE_FD + 1)
            target = fcntl.fcntl(response_end, fcntl.F_DUPFD, _RESPONSE_FD + 1)
            os.dup2(source, _COMMAND_FD)
            os.dup2(target, _RESPONSE_FD)
            os.close(source)
            os.close(target)

        self.process = subprocess.Popen(
            [executable, *_FLAGS, *args, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=workspace.environ(),
            close_fds=False,
            preexec_fn=place_pipes,
        )
        os.close(command_end)
        os.close(response_end)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._response_pipe, selectors.EVENT_READ)
        self._buffer = bytearray()
        self._last_id = 0
        self._responses: dict[int, JsonObject] = {}
        self._events: list[JsonObject] = []

    def send(self, method: str, params: JsonObject, session: str | None = None) -> int:
        self._last_id += 1
        message: JsonObject = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._command_pipe, json.dumps(message, separators=(",", ":")).encode() + b"\0")
        return self._last_id

    def receive(self, number: int, *, timeout_seconds: float = CALL_TIMEOUT_SECONDS) -> JsonObject:
        deadline = time.monotonic() + timeout_seconds
        while number not in self._responses:
            self._read(deadline)
        response = self._responses.pop(number)
        if "error" in response:
            raise CallFailed(json.dumps(response["error"])[:300])
        return cast(JsonObject, response["result"])

    def call(self, method: str, params: JsonObject | None = None, session: str | None = None) -> JsonObject:
        return self.receive(self.send(method, params or {}, session))

    def forget_events(self) -> None:
        self._events.clear()

    def wait_for_event(self, method: str, session: str, *, timeout_seconds: float = CALL_TIMEOUT_SECONDS) -> None:
        deadline = time.monotonic() + timeout_seconds
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
        os.close(self._command_pipe)
        os.close(self._response_pipe)

    def _read(self, deadline: float) -> None:
        if not self._selector.select(max(0.0, deadline - time.monotonic())):
            raise CallFailed("CDP: response timeout")
        chunk = os.read(self._response_pipe, 1 << 20)
        if not chunk:
            raise CallFailed("CDP: the browser closed its pipe")
        self._buffer += chunk
        *messages, rest = self._buffer.split(b"\0")
        self._buffer = bytearray(rest)
        for raw in messages:
            message = cast(JsonObject, json.loads(raw))
            if "id" in message:
                self._responses[cast(int, message["id"])] = message
            else:
                self._events.append(message)
