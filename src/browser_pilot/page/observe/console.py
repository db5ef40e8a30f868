"""What pages wrote to the console and which errors they did not catch: a bounded buffer per tab.

Errors come with the place where they were thrown. Playwright does not know it of a script that cannot be parsed; the
browser does, and tells all that it remembers to whoever switches its runtime events on, so it is asked then.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any, Literal

from playwright.async_api import ConsoleMessage, Error, Page, WebError

from browser_pilot.pages.cdp import send
from browser_pilot.pages.ring import Ring

Level = Literal["error", "warning", "info", "debug"]
LEVELS: dict[str, Level] = {
    "error": "error",
    "assert": "error",
    "warning": "warning",
    "debug": "debug",
    "trace": "debug",
}
CAPACITY = 1_000
LONGEST_TEXT = 2_000


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """``at`` is when, in seconds since the epoch; ``where`` is the script that it came from, as ``url:line:column``."""

    number: int
    level: Level
    at: float
    text: str
    where: str


class ConsoleBuffer(Ring[ConsoleEntry]):
    """Keeps the newest entries; survives navigation, ends with the tab."""

    def __init__(self, page: Page) -> None:
        super().__init__(CAPACITY)
        self._page = page
        self._searches: set[asyncio.Task[None]] = set()
        page.on("console", self._add_message)
        page.context.on("weberror", self._add_error)
        page.on("close", self._leave)

    def _leave(self, page: Page) -> None:
        page.context.remove_listener("weberror", self._add_error)

    def _add_message(self, message: ConsoleMessage) -> None:
        place = message.location
        level = LEVELS.get(message.type, "info")
        self.add(self._entry(level, message.text, _place(place["url"], place["lineNumber"], place["columnNumber"])))

    def _add_error(self, thrown: WebError) -> None:
        if thrown.page is not self._page:
            return
        error, place = thrown.error, thrown.location
        told = f"{error.name}: {error.message}" if error.name else error.message
        entry = self._entry("error", f"Uncaught {told}", _place(place["url"], place["line"], place["column"]))
        self.add(entry)
        if not entry.where:
            search = asyncio.create_task(self._locate(entry, told))
            self._searches.add(search)
            search.add_done_callback(self._searches.discard)

    def _entry(self, level: Level, text: str, where: str) -> ConsoleEntry:
        shortened = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text)} characters)"
        return ConsoleEntry(self.next_number(), level, time.time(), shortened, where)

    async def _locate(self, entry: ConsoleEntry, told: str) -> None:
        found: list[str] = []

        def note(event: dict[str, Any]) -> None:
            details: dict[str, Any] = event["exceptionDetails"]
            if details.get("exception", {}).get("description", "").startswith(told):
                found.append(_place(details.get("url", ""), details["lineNumber"], details["columnNumber"]))

        try:
            session = await self._page.context.new_cdp_session(self._page)
            session.on("Runtime.exceptionThrown", note)
            await send(session, "Runtime.enable")
            await session.detach()
        except Error:
            return  # The page has gone, and its errors with it.
        if found and found[-1]:
            self.renew(entry, replace(entry, where=found[-1]))


def _place(url: str, line: int, column: int) -> str:
    """Where in a script, counted from 1 as people do."""
    return f"{url}:{line + 1}:{column + 1}" if url else ""
