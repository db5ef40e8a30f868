"""A guest's log: what it printed and why it was ended. A file of its own, bounded; secrets are hidden by ``redact``."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ..approvals.words import plain
from ..home import make_private_folder

LARGEST_BYTES = 1 << 20
LONGEST_LINE = 4_000
LEVELS = ("debug", "info", "warning", "error")


def _as_it_is(text: str) -> str:
    return text


class Journal:
    def __init__(self, path: Path, *, redact: Callable[[str], str] = _as_it_is) -> None:
        self._path = path
        self._redact = redact

    def write(self, level: str, text: str) -> None:
        """One line for each line; the older half of a full log is in ``….log.1``."""
        shown = level if level in LEVELS else "info"
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        lines = "".join(
            f"{stamp} {shown:<7} {plain(line[:LONGEST_LINE])}\n" for line in self._redact(text).splitlines()
        )
        make_private_folder(self._path.parent)
        if self._path.exists() and self._path.stat().st_size + len(lines) > LARGEST_BYTES:
            self._path.replace(self._path.with_suffix(".log.1"))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(lines)
