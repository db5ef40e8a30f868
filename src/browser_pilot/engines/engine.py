"""The seam between sessions and browsers: every engine yields a Playwright ``BrowserContext``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from playwright.async_api import BrowserContext, Page

from ..config import EngineName
from ..egress import Failure, Refusal
from ..policy.hosts import Site
from ..policy.patterns import Pattern
from ..policy.rules import Ruleset


@dataclass(frozen=True)
class ContextRequest:
    """What a session wants of its browser. Equal launch options share one browser process.

    ``domains`` are the only ones that the session may reach; None for no such limit.
    """

    engine: EngineName
    own_browser: str | None
    label: str
    executable: str | None
    headless: bool
    args: tuple[str, ...]
    viewport: tuple[int, int]
    user_data_dir: str | None
    launch_timeout_ms: int
    domains: tuple[Pattern, ...] | None = None


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

    def take_blank_page(self) -> Page | None:
        """A page that is open already and nobody's yet; whoever takes it has it."""
        ...

    def let_open(self, site: Site) -> None:
        """The agent was allowed to go to this site: called before every navigation of its own."""
        ...

    def trouble(self, url: str) -> Refusal | Failure | None:
        """Why an address was last not reached, where the browser itself cannot know."""
        ...

    async def keep_out_of_urls(self, values: Iterable[str]) -> None:
        """These values were typed as secrets: from now on no address may carry them."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    async def open(self, request: ContextRequest, rules: Callable[[], Ruleset]) -> LiveContext:
        """``rules`` gives those in force for the session, whenever it is called."""
        ...

    async def close(self) -> None: ...
