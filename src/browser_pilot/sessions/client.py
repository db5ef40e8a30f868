"""A client of the hub: one MCP connection with its own settings."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from browser_pilot.config.settings import Settings


@dataclass(eq=False)
class Client:
    """Tabs are numbered across all its sessions, so that a tab's id identifies its session."""

    id: str
    settings: Settings
    name: str = "unnamed client"
    last_active: float = field(default_factory=time.monotonic)
    tab_numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def touch(self) -> None:
        self.last_active = time.monotonic()
