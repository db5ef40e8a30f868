"""Single-use login tickets: a private HTML file that posts its ticket to the hub.

So no secret is ever in a URL or in a process's arguments: the command that opens the dashboard names a file, and only
the user can read that file. A file is removed when its ticket is used or expires, and when the hub starts or ends.
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

from browser_pilot.home import write_private

TTL_SECONDS = 120.0
MAX_TICKETS = 20
PAGE = Path(__file__).with_name("login_ticket.html")
SCRIPT = "document.forms[0].submit()"
SCRIPT_HASH = f"sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}"


@dataclass(frozen=True)
class _Ticket:
    path: Path
    expires: float
    timer: asyncio.TimerHandle


class LoginTickets:
    def __init__(self, home: Path, clock: Callable[[], float]) -> None:
        self._folder = home / "run"
        self._clock = clock
        self._tickets: dict[str, _Ticket] = {}

    def issue(self, address: str) -> Path:
        """Write a file that signs in at the hub's address. The oldest ticket expires when there are too many."""
        ticket = secrets.token_urlsafe(32)
        path = self._folder / f"dashboard-{secrets.token_hex(4)}.html"
        page = Template(PAGE.read_text(encoding="utf-8"))
        write_private(path, page.substitute(address=address, ticket=ticket, script=SCRIPT, script_hash=SCRIPT_HASH))
        timer = asyncio.get_running_loop().call_later(TTL_SECONDS, self._remove, ticket)
        self._tickets[ticket] = _Ticket(path, self._clock() + TTL_SECONDS, timer)
        while len(self._tickets) > MAX_TICKETS:
            self._remove(next(iter(self._tickets)))
        return path

    def redeem(self, ticket: str) -> bool:
        """Whether the ticket is valid. It is used up by this."""
        found = self._tickets.get(ticket)
        if found is None:
            return False
        self._remove(ticket)
        return self._clock() < found.expires

    def close(self) -> None:
        """Invalidate all tickets and remove their files, also those of a killed hub."""
        for ticket in list(self._tickets):
            self._remove(ticket)
        for path in self._folder.glob("dashboard-*.html"):
            path.unlink(missing_ok=True)

    def _remove(self, ticket: str) -> None:
        found = self._tickets.pop(ticket, None)
        if found is not None:
            found.timer.cancel()
            found.path.unlink(missing_ok=True)
