"""What pages wrote to the console and which errors they did not catch: a bounded buffer per tab."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Literal

from playwright.async_api import ConsoleMessage, Error

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


@dataclass(frozen=True)
class ConsoleEntry:
    number: int
    level: Level
    time_ms: int
    text: str
    where: str


class ConsoleBuffer:
    """Keeps the newest entries; survives navigation, ends with the tab."""

    def __init__(self) -> None:
        self._entries: deque[ConsoleEntry] = deque(maxlen=CAPACITY)
        self._count = 0

    def __iter__(self):
        return iter(self._entries)

    @property
    def dropped(self) -> int:
        return self._count - len(self._entries)

    def add_message(self, message: ConsoleMessage) -> None:
        location = message.location
        self._add(LEVELS.get(message.type, "info"), message.text, f"{location['url']}:{location['lineNumber'] + 1}")

    def add_error(self, error: Error) -> None:
        lines = (error.stack or error.message).splitlines()
        where = next((line.strip().removeprefix("at ") for line in lines[1:] if ":" in line), "")
        self._add("error", f"Uncaught {error.name}: {error.message}", where)

    def _add(self, level: Level, text: str, where: str) -> None:
        self._count += 1
        self._entries.append(ConsoleEntry(self._count, level, int(time.time() * 1000), text[:LONGEST_TEXT], where))
