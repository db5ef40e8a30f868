"""The seam between sessions and browsers: every engine yields a Playwright ``BrowserContext``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from playwright.async_api import BrowserContext, Page

from ..config import EngineName
from ..egress import Failure, Refusal
from ..egress.parent_proxy import ParentProxy
from ..errors import DownloadFailed
from ..policy.hosts import Site
from ..policy.patterns import Pattern
from ..policy.rules import Ruleset

ColorScheme = Literal["light", "dark", "no-preference"]
# Cookies, localStorage and IndexedDB of a context, as Playwright writes them.
StorageState: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class Look:
    """As what kind of browser, and where, a session's pages see themselves; None for what the browser itself says.

    ``device`` is one of Playwright's presets; the others go over what it says.
    """

    device: str | None = None
    user_agent: str | None = None
    locale: str | None = None
    timezone: str | None = None
    color_scheme: ColorScheme | None = None


@dataclass(frozen=True)
class ContextRequest:
    """What a session wants of its browser. Sessions with equal launch options share browser processes.

    ``domains`` are the only ones that the session may reach; None for no such limit. ``viewport`` None leaves it to the
    device. ``parent_proxy`` is a proxy of the user's that everything goes through after ours.
    """

    engine: EngineName
    own_browser: str | None
    label: str
    executable: str | None
    headless: bool
    args: tuple[str, ...]
    viewport: tuple[int, int] | None
    user_data_dir: str | None
    launch_timeout_ms: int
    domains: tuple[Pattern, ...] | None = None
    look: Look = Look()
    parent_proxy: ParentProxy | None = None
    per_browser: int = 8
    cdp_url: str | None = None
    grid_url: str | None = None


class Saver(Protocol):
    """Saves files in the user's own folder."""

    async def save_held(self, url: str, name: str, moved: Callable[[int], None]) -> Path:
        """What a page holds at a blob: address; ``moved`` is told how far it is."""
        ...

    def why_ended(self, url: str) -> DownloadFailed | None:
        """Why the browser gave up its last download of an address, if it said so."""
        ...


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

    @property
    def saver(self) -> Saver | None:
        """Where the browser is the user's, so that files go where the user's downloads go."""
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

    async def show(self, page: Page) -> None:
        """Bring a page before the user, who has to do something in it."""
        ...

    async def storage_state(self) -> StorageState | None:
        """What its pages have stored; None where that is not ours to take."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> LiveContext:
        """``rules`` gives those in force for the session, whenever it is called. ``state`` is there from the start."""
        ...

    async def close(self) -> None: ...
