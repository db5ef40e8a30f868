"""Minimal JSON-RPC client over stdio, so that its own cost is small and the same for every competitor.

One request at a time, each with a timeout. It is not a full MCP client: it sends ``initialize``, ``tools/list`` and
``tools/call``, responds to server requests with an error and drops notifications.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

JsonObject = dict[str, object]

PROTOCOL_VERSION = "2025-06-18"
CALL_TIMEOUT_SECONDS = 30.0


class CallFailed(Exception):
    """The competitor returned an error or a wrong result, or did not respond in time."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The command that starts a server."""

    argv: Sequence[str]
    environ: Mapping[str, str]
    folder: Path


@dataclass(frozen=True, slots=True)
class TimedResult:
    """The text that a model would read, and the time until it arrived."""

    text: str
    ms: float

    def __add__(self, other: TimedResult) -> TimedResult:
        return TimedResult(text=f"{self.text}\n{other.text}", ms=self.ms + other.ms)


class StdioClient:
    def __init__(self, launch: Launch) -> None:
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            list(launch.argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(launch.environ),
            cwd=launch.folder,
            bufsize=0,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout.fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._chunks: list[bytes] = []
        self._lines: list[bytes] = []
        self._last_id = 0

    def initialize(self) -> float:
        """Returns the milliseconds from spawn to response."""
        about = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": about})
        elapsed_ms = (time.perf_counter() - self._started) * 1000
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return elapsed_ms

    def call(self, tool: str, arguments: JsonObject, *, timeout_seconds: float = CALL_TIMEOUT_SECONDS) -> TimedResult:
        began = time.perf_counter()
        result = self.request("tools/call", {"name": tool, "arguments": arguments}, timeout_seconds=timeout_seconds)
        elapsed_ms = (time.perf_counter() - began) * 1000
        text = _text(result)
        if result.get("isError"):
            raise CallFailed(f"{tool}: {text[:300]}")
        return TimedResult(text=text, ms=elapsed_ms)

    def tools(self) -> list[JsonObject]:
        tools: list[JsonObject] = []
        cursor: object = None
        while True:
            result = self.request("tools/list", {"cursor": cursor} if cursor else {})
            tools += cast(list[JsonObject], result["tools"])
            cursor = result.get("nextCursor")
            if not cursor:
                return tools

    def request(self, method: str, params: JsonObject, *, timeout_seconds: float = CALL_TIMEOUT_SECONDS) -> JsonObject:
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        deadline = time.monotonic() + timeout_seconds
        while True:
            message = cast(JsonObject, json.loads(self._read_line(deadline, method)))
            if "method" in message:
                if "id" in message:
                    refusal = {"code": -32601, "message": "The benchmark client supports no requests."}
                    self._send({"jsonrpc": "2.0", "id": message["id"], "error": refusal})
            elif message.get("id") == self._last_id:
                if "error" in message:
                    raise CallFailed(f"{method}: {json.dumps(message['error'])[:300]}")
                return cast(JsonObject, message["result"])

    def close(self, *, exit_timeout_seconds: float = 5.0) -> None:
        """Disconnects as an MCP client does: closes stdin, waits, and kills the process after the timeout."""
        self._input.close()
        try:
            self._process.wait(exit_timeout_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _send(self, message: JsonObject) -> None:
        try:
            self._input.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            raise CallFailed(f"The server closed its input: {error.strerror}") from error

    def _read_line(self, deadline: float, method: str) -> bytes:
        while not self._lines:
            if not self._selector.select(max(0.0, deadline - time.monotonic())):
                raise CallFailed(f"{method}: response timeout")
            chunk = os.read(self._output, 1 << 20)
            if not chunk:
                raise CallFailed(f"{method}: the server closed its output")
            head, separator, rest = chunk.partition(b"\n")
            self._chunks.append(head)
            if separator:
                *middle, last = rest.split(b"\n")
                self._lines = [b"".join(self._chunks), *middle]
                self._chunks = [last]
        return self._lines.pop(0)


def _text(result: JsonObject) -> str:
    blocks = cast(list[JsonObject], result.get("content", []))
    return "\n".join(str(block["text"]) for block in blocks if block.get("type") == "text")
