"""Console messages and uncaught errors of a tab, in a bounded buffer.

Errors have the location where they were thrown. Playwright does not report it for a script with a syntax error.
Chromium does, and replays past ``Runtime.exceptionThrown`` events on ``Runtime.enable``: these are used then.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Literal

from playwright.async_api import ConsoleMessage, Error, JSHandle, Page, WebError

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.page.cdp import send
from browser_pilot.page.token_bucket import TokenBucket
from browser_pilot.safe_text import cut, sanitize

from .console_format import format_message
from .console_tables import render_table
from .ring_buffer import RingBuffer

ConsoleLevel = Literal["error", "warning", "info", "debug"]
LEVELS: dict[str, ConsoleLevel] = {
    "error": "error",
    "assert": "error",
    "warning": "warning",
    "debug": "debug",
    "trace": "debug",
}
CAPACITY = 1_000
MAX_TEXT_CHARACTERS = 2_000
# Tables that are rendered; reading one takes a call into the page.
TABLE_BURST = 10
TABLES_PER_SECOND = 1
MAX_LOCATION_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """``at`` is in seconds since the epoch; ``location`` is that in a script, as ``url:line:column``."""

    number: int
    level: ConsoleLevel
    at: float
    text: str
    location: str


class ConsoleLog(RingBuffer[ConsoleEntry]):
    """Keeps the newest entries; survives navigation, ends with the tab."""

    def __init__(self, page: Page) -> None:
        super().__init__(CAPACITY)
        self._page = page
        self._tasks = BackgroundTasks("a tab's console")
        self._tables = TokenBucket(TABLE_BURST, TABLES_PER_SECOND)
        page.on("console", self._add_message)
        page.context.on("weberror", self._add_error)
        page.on("close", self._remove_listener)

    def _remove_listener(self, page: Page) -> None:
        page.context.remove_listener("weberror", self._add_error)

    def _add_message(self, message: ConsoleMessage) -> None:
        at = message.location
        level = LEVELS.get(message.type, "info")
        text = format_message(message.text, [str(argument) for argument in message.args])
        entry = self._entry(level, text, _location(at["url"], at["lineNumber"], at["columnNumber"]))
        self.add(entry)
        if message.type == "table" and message.args and self._tables.take(time.monotonic()):
            self._tasks.spawn(self._render_table(entry, message.args[0]))

    async def _render_table(self, entry: ConsoleEntry, data: JSHandle) -> None:
        if text := await render_table(data):
            self.replace(entry, replace(entry, text=sanitize(text)))

    def _add_error(self, thrown: WebError) -> None:
        if thrown.page is not self._page:
            return
        error, at = thrown.error, thrown.location
        text = f"{error.name}: {error.message}" if error.name else error.message
        entry = self._entry("error", f"Uncaught {text}", _location(at["url"], at["line"], at["column"]))
        self.add(entry)
        if not entry.location:
            self._tasks.spawn(self._locate(entry, text))

    def _entry(self, level: ConsoleLevel, text: str, location: str) -> ConsoleEntry:
        shortened = (
            text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"
        )
        return ConsoleEntry(self.next_number(), level, time.time(), sanitize(shortened), location)

    async def _locate(self, entry: ConsoleEntry, text: str) -> None:
        found: list[str] = []

        def on_exception(event: dict[str, Any]) -> None:
            details: dict[str, Any] = event["exceptionDetails"]
            if details.get("exception", {}).get("description", "").startswith(text):
                found.append(_location(details.get("url", ""), details["lineNumber"], details["columnNumber"]))

        try:
            session = await self._page.context.new_cdp_session(self._page)
            session.on("Runtime.exceptionThrown", on_exception)
            await send(session, "Runtime.enable")
            await session.detach()
        except Error:
            return  # The page was closed.
        if found and found[-1]:
            self.replace(entry, ConsoleEntry(entry.number, entry.level, entry.at, entry.text, found[-1]))


def _location(url: str, line: int, column: int) -> str:
    """``url:line:column`` with line and column from 1; CDP counts from 0."""
    return f"{sanitize(cut(url, MAX_LOCATION_CHARACTERS))}:{line + 1}:{column + 1}" if url else ""
