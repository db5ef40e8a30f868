"""The interface between sessions and browsers: every engine opens a Playwright ``BrowserContext``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from playwright.async_api import BrowserContext, Page

from browser_pilot.config.settings import EngineName
from browser_pilot.egress import BlockedByPolicy, NetworkFailure
from browser_pilot.egress.parent_proxy import ParentProxy
from browser_pilot.files.file_saver import FileSaver
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Ruleset

ColorScheme = Literal["light", "dark", "no-preference"]
# Cookies, localStorage and IndexedDB of a context, as Playwright writes them.
StorageState: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class EmulationOptions:
    """Device, locale and time zone that pages see; None for the browser's own value.

    ``device`` is one of Playwright's presets; the other fields override it.
    """

    device: str | None = None
    user_agent: str | None = None
    locale: str | None = None
    timezone: str | None = None
    color_scheme: ColorScheme | None = None


@dataclass(frozen=True)
class ContextRequest:
    """The browser that a session requests. Sessions with equal launch options share browser processes.

    ``domains``: the only ones that the session may reach; None for no limit. ``viewport``: None for the device's.
    ``parent_proxy``: a proxy of the user that all traffic goes through after ours.
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
    emulation: EmulationOptions = EmulationOptions()
    parent_proxy: ParentProxy | None = None
    per_browser: int = 8
    cdp_url: str | None = None
    grid_url: str | None = None


class LiveContext(Protocol):
    """A context in a running browser; it ends with the browser."""

    @property
    def context(self) -> BrowserContext: ...

    @property
    def alive(self) -> bool: ...

    @property
    def exclusive(self) -> bool:
        """Whether every page in the context belongs to the session, also pages that it did not open."""
        ...

    @property
    def client_id(self) -> str | None:
        """Identifies the session among those in the user's browser; None where the browser is not the user's."""
        ...

    @property
    def file_saver(self) -> FileSaver | None:
        """Saves into the user's download folder, where the browser is the user's; else None."""
        ...

    def raise_if_halted(self) -> None:
        """Raise when the user has halted agents in this browser."""
        ...

    def on_lost(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once when the browser dies."""
        ...

    async def flush_events(self) -> None:
        """Wait until all earlier events of the browser have arrived, so that ``alive`` is up to date."""
        ...

    def take_blank_page(self) -> Page | None:
        """Take a blank page that is open and unused, if there is one."""
        ...

    def allow_navigation(self, site: Site) -> None:
        """Allow a site: called before every navigation that an agent was authorized for."""
        ...

    def last_network_error(self, url: str) -> BlockedByPolicy | NetworkFailure | None:
        """Why a URL was not reached the last time, where the browser itself cannot know."""
        ...

    async def block_in_urls(self, values: Iterable[str]) -> None:
        """Block requests whose URL contains one of these secrets, from now on."""
        ...

    async def bring_to_front(self, page: Page) -> None:
        """Bring a page to the front: the user has to do something in it."""
        ...

    async def storage_state(self) -> StorageState | None:
        """The storage state of its pages; None where it belongs to the user."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> LiveContext:
        """``rules`` returns the session's current policy. ``state`` is restored before the first page opens."""
        ...

    async def close(self) -> None: ...
