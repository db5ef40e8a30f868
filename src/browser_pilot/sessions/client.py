"""A client of the hub: one MCP connection with its own settings."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from browser_pilot.config.settings import Settings


@dataclass(eq=False)
class Client:
    """Tabs are numbered across all its sessions, so that a tab's id identifies its session.

    ``identity`` stays the same when the client connects again, for example to a new hub, if its transport can tell.
    """

    id: str
    settings: Settings
    name: str = "unnamed client"
    identity: str = field(default_factory=lambda: secrets.token_hex(16))
    last_active: float = field(default_factory=time.monotonic)
    tab_numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def touch(self) -> None:
        self.last_active = time.monotonic()
