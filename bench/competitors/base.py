"""What every competitor must be able to do, and what those that speak MCP on stdio share.

A ``Competitor`` knows how to start; a ``Session`` is one live connection with one page. A method of a session sends
what an agent would send and returns all that the agent would read. Handles come from ``handle_of``, which reads
them out of a snapshot as an agent does. A new competitor is one module that implements these two.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..processes import Den
from ..rpc import Answer, CallFailed, JsonObject, Launch, StdioClient
from ..tokens import tool_list_text


@dataclass(frozen=True, slots=True)
class Field:
    """A field to fill: where it is and what goes into it."""

    handle: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Chromium:
    """The browser that all competitors use, with the arguments that this machine asks for."""

    executable: Path
    version: str
    args: tuple[str, ...]


class Session(Protocol):
    def navigate(self, url: str) -> Answer: ...

    def snapshot(self) -> Answer:
        """The whole page with its text."""
        ...

    def controls(self) -> Answer | None:
        """The page as the competitor shows it by default, where that leaves the text out."""
        ...

    def handle_of(self, snapshot: str, role: str, name: str) -> str: ...

    def click(self, handle: str) -> Answer: ...

    def click_and_see(self, handle: str) -> Answer:
        """Click, and know the page's new state afterwards."""
        ...

    def click_and_see_changes(self, handle: str) -> Answer | None:
        """The same with the competitor's way to say only what changed, where it has another one for that."""
        ...

    def type(self, handle: str, text: str) -> Answer: ...

    def type_and_see(self, handle: str, text: str) -> Answer:
        """Type, and know the page's new state afterwards."""
        ...

    def fill(self, fields: Sequence[Field]) -> Answer: ...

    def evaluate(self, expression: str) -> Answer: ...

    def wait_for_text(self, text: str) -> Answer: ...

    def close(self) -> None:
        """Hang up, as a client that ends."""
        ...


class Closable(Protocol):
    def close(self) -> None: ...


class Competitor(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def start(self, den: Den) -> Session: ...

    def start_up_ms(self, den: Den, *, as_user: bool) -> float | None:
        """Spawn to reply to ``initialize``; ``as_user`` by the command that a user would configure."""
        ...

    def tool_lists(self, den: Den) -> Mapping[str, str]:
        """What a model is shown of the tools, by profile; the default profile is "default"."""
        ...

    def open_many(self, den: Den, urls: Sequence[str]) -> Sequence[Closable]:
        """As many sessions at once, each on its own page, in the competitor's thriftiest way."""
        ...

    def stop(self, den: Den) -> None:
        """What the competitor offers to end all that it left running."""
        ...


class McpSession:
    """The part of a session over stdio that does not depend on the competitor."""

    def __init__(self, launch: Launch) -> None:
        self._client = StdioClient(launch)
        self.start_up_ms = self._client.initialize()

    def call(self, tool: str, **arguments: object) -> Answer:
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


def search_handle(pattern: str, snapshot: str, what: str) -> str:
    match = re.search(pattern, snapshot, re.MULTILINE)
    if match is None:
        raise CallFailed(f"The snapshot shows no {what}")
    return match.group(1)


def add_up(answers: Sequence[Answer]) -> Answer:
    return Answer(text="\n".join(answer.text for answer in answers), ms=sum(answer.ms for answer in answers))


def timed(began: float, text: str) -> Answer:
    """An answer that was under way since ``began`` on the performance counter."""
    return Answer(text=text, ms=(time.perf_counter() - began) * 1000)
