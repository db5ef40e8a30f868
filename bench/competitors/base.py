"""Protocols that every competitor implements, and the shared part of the MCP servers on stdio.

A ``Competitor`` starts sessions; a ``Session`` is one connection with one page. A session method sends the calls of an
agent and returns all text that the agent would read. ``find_ref`` reads a ref from a snapshot, as an agent does. A new
competitor is one module that implements both.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bench.rpc import CallFailed, JsonObject, Launch, StdioClient, TimedResult
from bench.tokens import tool_list_text
from bench.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Field:
    """A form field to fill."""

    ref: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Chromium:
    """The browser that all competitors use, with the launch arguments for this machine."""

    executable: Path
    version: str
    args: tuple[str, ...]


class Session(Protocol):
    def navigate(self, url: str) -> TimedResult: ...

    def snapshot(self) -> TimedResult:
        """Returns the whole page with its text."""
        ...

    def controls(self) -> TimedResult | None:
        """Returns the default snapshot of a competitor that omits text by default; otherwise None."""
        ...

    def find_ref(self, snapshot: str, role: str, name: str) -> str: ...

    def click(self, ref: str) -> TimedResult: ...

    def click_and_snapshot(self, ref: str) -> TimedResult:
        """Clicks and returns the new state of the page."""
        ...

    def click_and_diff(self, ref: str) -> TimedResult | None:
        """Clicks and returns a diff, if the competitor has a separate call for that; otherwise None."""
        ...

    def type(self, ref: str, text: str) -> TimedResult: ...

    def type_and_snapshot(self, ref: str, text: str) -> TimedResult:
        """Types and returns the new state of the page."""
        ...

    def fill(self, fields: Sequence[Field]) -> TimedResult: ...

    def evaluate(self, expression: str) -> TimedResult: ...

    def wait_for_text(self, text: str) -> TimedResult: ...

    def close(self) -> None:
        """Disconnects as a client that exits."""
        ...


class Closable(Protocol):
    def close(self) -> None: ...


class Competitor(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def start(self, workspace: Workspace) -> Session: ...

    def start_up_ms(self, workspace: Workspace, *, as_user: bool) -> float | None:
        """Returns the time from spawn to the ``initialize`` response. ``as_user``: with the configured command."""
        ...

    def tool_lists(self, workspace: Workspace) -> Mapping[str, str]:
        """Returns the tool list as a model sees it, by profile; the default profile is "default"."""
        ...

    def open_sessions(self, workspace: Workspace, urls: Sequence[str]) -> Sequence[Closable]:
        """Opens one session per URL in the way that uses the least memory."""
        ...

    def stop(self, workspace: Workspace) -> None:
        """Runs the competitor's own command to stop its remaining processes."""
        ...


class McpSession:
    """Shared part of all sessions over stdio."""

    def __init__(self, launch: Launch) -> None:
        self._client = StdioClient(launch)
        self.start_up_ms = self._client.initialize()

    def call(self, tool: str, **arguments: object) -> TimedResult:
        return self._client.call(tool, arguments)

    def tools(self) -> list[JsonObject]:
        return self._client.tools()

    def close(self) -> None:
        self._client.close()


def measure_start_up(launch: Launch) -> float:
    client = StdioClient(launch)
    try:
        return client.initialize()
    finally:
        client.close()


def read_tool_list(launch: Launch) -> str:
    session = McpSession(launch)
    try:
        return tool_list_text(session.tools())
    finally:
        session.close()


def search_ref(pattern: str, snapshot: str, what: str) -> str:
    match = re.search(pattern, snapshot, re.MULTILINE)
    if match is None:
        raise CallFailed(f"The snapshot shows no {what}")
    return match.group(1)


def sum_results(results: Sequence[TimedResult]) -> TimedResult:
    return TimedResult(text="\n".join(result.text for result in results), ms=sum(result.ms for result in results))


def timed_result(began: float, text: str) -> TimedResult:
    """Returns a result whose time counts from ``began`` on the performance counter."""
    return TimedResult(text=text, ms=(time.perf_counter() - began) * 1000)
