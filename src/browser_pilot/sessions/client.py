"""A client of the hub: one MCP connection with its own settings."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from browser_pilot.config.settings import Settings

LOST_HUB_NOTICE = (
    "The hub ended and was started again: the tabs and sessions from before are gone, with what was not saved there. "
    "Open the page again: browser_navigate."
)


@dataclass(eq=False)
class Client:
    """Tabs are numbered across all its sessions, so that a tab's id identifies its session.

    ``identity`` stays the same when the client connects again, for example to a new hub, if its transport can tell.
    ``lost_hub``: it was connected to a hub that has ended, and was not told yet what that means.
    """

    id: str
    settings: Settings
    name: str = "unnamed client"
    identity: str = field(default_factory=lambda: secrets.token_hex(16))
    lost_hub: bool = False
    last_active: float = field(default_factory=time.monotonic)
    tab_numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def take_notices(self) -> list[str]:
        """What the client must know of its connection; returned once."""
        lost, self.lost_hub = self.lost_hub, False
        return [LOST_HUB_NOTICE] if lost else []

    def touch(self) -> None:
        self.last_active = time.monotonic()
