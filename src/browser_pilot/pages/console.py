"""What pages wrote to the console and which errors they did not catch: a bounded buffer per tab."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from playwright.async_api import ConsoleMessage, Error, Page

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
    number: int
    level: Level
    time_ms: int
    text: str
    where: str


class ConsoleBuffer(Ring[ConsoleEntry]):
    """Keeps the newest entries; survives navigation, ends with the tab."""

    def __init__(self, page: Page) -> None:
        super().__init__(CAPACITY)
        page.on("console", self._add_message)
        page.on("pageerror", self._add_error)

    def _add_message(self, message: ConsoleMessage) -> None:
        location = message.location
        where = f"{location['url']}:{location['lineNumber'] + 1}" if location["url"] else ""
        self._note(LEVELS.get(message.type, "info"), message.text, where)

    def _add_error(self, error: Error) -> None:
        frames = (line.strip() for line in (error.stack or "").splitlines()[1:])
        where = next((line.removeprefix("at ") for line in frames if ":" in line), "")
        self._note("error", f"Uncaught {error.name}: {error.message}", where)

    def _note(self, level: Level, text: str, where: str) -> None:
        shortened = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text)} characters)"
        self.add(ConsoleEntry(self.next_number(), level, int(time.time() * 1000), shortened, where))
