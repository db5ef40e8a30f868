"""The way in: a private file that holds a ticket and posts it to the hub. It works once, and not for long.

So no secret is ever in an address or in a process's arguments: who opens the dashboard names a file, and the file is
readable by the user alone. A file is removed when its ticket is used or too old, and when the hub starts or ends.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from string import Template

from ..home import write_private

LIFE_SECONDS = 120.0
MOST = 20
PAGE = Path(__file__).with_name("entrance.html")
SCRIPT = "document.forms[0].submit()"
SCRIPT_HASH = f"sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}"


@dataclass(frozen=True)
class _Open:
    path: Path
    expires: float
    timer: asyncio.TimerHandle


class Entrance:
    def __init__(self, home: Path, clock: Callable[[], float]) -> None:
        self._folder = home / "run"
        self._clock = clock
        self._open: dict[str, _Open] = {}

    def open(self, address: str) -> Path:
        """A new file that lets its reader in at the hub's address; where there are too many, the oldest is void."""
        ticket = secrets.token_urlsafe(32)
        path = self._folder / f"dashboard-{secrets.token_hex(4)}.html"
        page = Template(PAGE.read_text(encoding="utf-8"))
        write_private(path, page.substitute(address=address, ticket=ticket, script=SCRIPT, script_hash=SCRIPT_HASH))
        timer = asyncio.get_running_loop().call_later(LIFE_SECONDS, self._close, ticket)
        self._open[ticket] = _Open(path, self._clock() + LIFE_SECONDS, timer)
        while len(self._open) > MOST:
            self._close(next(iter(self._open)))
        return path

    def take(self, ticket: str) -> bool:
        """Whether this ticket lets someone in: once."""
        found = self._open.get(ticket)
        if found is None:
            return False
        self._close(ticket)
        return self._clock() < found.expires

    def close(self) -> None:
        """Nobody gets in any more; files that a killed hub left behind are removed too."""
        for ticket in list(self._open):
            self._close(ticket)
        for path in self._folder.glob("dashboard-*.html"):
            path.unlink(missing_ok=True)

    def _close(self, ticket: str) -> None:
        found = self._open.pop(ticket, None)
        if found is not None:
            found.timer.cancel()
            found.path.unlink(missing_ok=True)
