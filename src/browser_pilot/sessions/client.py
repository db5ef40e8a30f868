"""A client of the hub: one MCP connection, with the settings that hold for it alone."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ..config import Settings


@dataclass(eq=False)
class Client:
    id: str
    settings: Settings
    name: str = "unnamed client"
    last_active: float = field(default_factory=time.monotonic)

    def touch(self) -> None:
        self.last_active = time.monotonic()
