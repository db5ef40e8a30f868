"""The seam between sessions and browsers: every engine yields a Playwright ``BrowserContext``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from playwright.async_api import BrowserContext

from ..config import EngineName


@dataclass(frozen=True)
class ContextRequest:
    """What a session wants of its browser. Equal launch options share one browser process."""

    engine: EngineName
    own_browser: str | None
    label: str
    executable: str | None
    headless: bool
    args: tuple[str, ...]
    viewport: tuple[int, int]
    user_data_dir: str | None
    launch_timeout_ms: int


class LiveContext(Protocol):
    """A context in a running browser, for as long as that browser lives."""

    @property
    def context(self) -> BrowserContext: ...

    @property
    def alive(self) -> bool: ...

    @property
    def exclusive(self) -> bool:
        """Whether every page in the context is the session's, also those that it did not open."""
        ...

    def check(self) -> None:
        """Raise when the user has halted work in this browser."""
        ...

    def on_lost(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once when the browser behind the context dies."""
        ...

    async def settle(self) -> None:
        """Come back once it is known whether the browser still lives."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    async def open(self, request: ContextRequest) -> LiveContext: ...

    async def close(self) -> None: ...
