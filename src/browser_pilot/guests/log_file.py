"""A guest's log file: its output and the reason of its end. Bounded in size; ``redact`` removes secrets."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from browser_pilot.approvals.descriptions import plain_text
from browser_pilot.home import make_private_folder
from browser_pilot.redaction.offloading import redact

MAX_BYTES = 1 << 20
MAX_LINE_CHARS = 4_000
LEVELS = ("debug", "info", "warning", "error")


def _unchanged(text: str) -> str:
    return text


class GuestLog:
    def __init__(self, path: Path, *, redact: Callable[[str], str] = _unchanged) -> None:
        self._path = path
        self._redact = redact

    def write(self, level: str, text: str) -> None:
        """Append each line of ``text``. A full log is rotated to ``….log.1``."""
        self._append(level, self._redact(text))

    async def write_output(self, level: str, text: str) -> None:
        """The same for what the guest wrote, which may be long: the event loop goes on."""
        self._append(level, await redact(self._redact, text))

    def _append(self, level: str, redacted: str) -> None:
        shown = level if level in LEVELS else "info"
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        lines = "".join(f"{stamp} {shown:<7} {plain_text(line[:MAX_LINE_CHARS])}\n" for line in redacted.splitlines())
        make_private_folder(self._path.parent)
        if self._path.exists() and self._path.stat().st_size + len(lines) > MAX_BYTES:
            self._path.replace(self._path.with_suffix(".log.1"))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(lines)
