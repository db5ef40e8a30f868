"""A client of the hub: one MCP connection, with the settings that hold for it alone."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..config import Settings


@dataclass(eq=False)
class Client:
    """Its tabs are numbered through, whichever session they are in: a tab's id says which session is meant."""

    id: str
    settings: Settings
    name: str = "unnamed client"
    last_active: float = field(default_factory=time.monotonic)
    tab_numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def touch(self) -> None:
        self.last_active = time.monotonic()
